import { type Query, TableContext } from "@partita/core";
import { anyText, definePatterns, pattern } from "@partita/patterns";
import { assertPatterns, checkPatterns, patternTable } from "@partita/testing";
import { type Chapter, codeOf, holds, type Item } from "../item.ts";
import { register, Runner } from "./model.ts";

/** The plan of a query, the bib numbers that it finds among ten, and the number of requests. */
const plans = (
  title: string,
  expected: [plan: string, bibs: number[], requests: number],
  ask: (runners: Query<Runner>, race: string) => Query<Runner>,
): Item =>
  holds(title, expected, async ({ storage, name }) => {
    await register(storage, name, 10);
    let requests = 0;
    await using context = new TableContext(storage, { hooks: { sending: () => void requests++ } });
    const query = ask(context.query(Runner), name);
    const { type, rating } = query.explain();
    await query.toArray();
    const before = requests;
    const bibs = (await query.toArray()).map(({ bib }) => bib);
    return [`${type} (${rating})`, bibs, requests - before];
  });

const patterns = definePatterns({
  "by bib number": pattern(
    Runner,
    { race: anyText(), distance: anyText() },
    (query, values) => query.where(values).where({ bib: 1 }),
    { atMost: "row range scan", partitions: 1, use: { perMinute: 600, rows: 1, withinMs: 50 } },
  ),
});

const tooWide = definePatterns({
  "by race": pattern(Runner, { race: anyText() }, (query, values) => query.where(values), {
    atMost: "point",
  }),
});

export const queries: Chapter = {
  title: "Queries",
  items: [
    plans("Point query: both keys", ["point (best)", [3], 1], (runners, race) =>
      runners.where({ race, distance: "Full", bib: 3, name: "Runner 3", gender: "M", age: 23 }),
    ),
    plans(
      "Row range scan: the PartitionKey and a range of the RowKey",
      ["row range scan (good)", [3, 4, 5], 1],
      (runners, race) => runners.where({ race, distance: "Full" }).where((r) => r.bib.between(3, 5)),
    ),
    plans(
      "Partition scan: the PartitionKey and another property",
      ["partition scan (fair)", [1, 3, 5, 7, 9], 1],
      (runners, race) => runners.where({ race, distance: "Full", gender: "M" }),
    ),
    plans(
      "Partition range scan: a range of the PartitionKey",
      ["partition range scan (poor)", [4], 1],
      (runners, race) => runners.where({ race, bib: 4 }),
    ),
    holds("Table scan: neither key, refused unless you ask for it", "query.scan-refused", ({ context }) =>
      codeOf(() => context.query(Runner).where({ gender: "F" }).toArray()),
    ),
    plans(
      "The ten youngest, through the second RowKey",
      ["row range scan (good)", [5, 6], 1],
      (runners, race) =>
        runners
          .via("byAge")
          .where({ race, distance: "Full" })
          .where((r) => r.age.ge(25))
          .take(2),
    ),
    plans(
      "Members of a club, through a third RowKey",
      ["row range scan (good)", [2, 4, 6, 8, 10], 1],
      (runners, race) => runners.via("byClub").where({ race, distance: "Full", club: "Club 0" }),
    ),
    holds(
      "A range over partitions continues after each response",
      [10, true],
      async ({ storage, context, name }) => {
        for (const distance of ["a", "b"]) await register(storage, `${name}-${distance}`, 5);
        const all = context.query(Runner).where((r) => r.race.startsWith(`${name}-`));
        const pages: number[] = [];
        for await (const page of all.pages({ size: 4 })) pages.push(page.entities.length);
        return [pages.reduce((sum, count) => sum + count, 0), pages.length >= 3];
      },
    ),
    holds(
      "Access patterns are checked against their plans",
      "row range scan",
      async () => (await assertPatterns(patterns))[0]?.plan.type,
    ),
    holds("A pattern with a worse plan is found", "pattern.too-wide", () =>
      codeOf(() => assertPatterns(tooWide)),
    ),
    holds("Patterns carry frequency, rows and latency, shown next to their plans", true, async () => {
      const table = patternTable(await checkPatterns(patterns));
      return ["600", "50"].every((figure) => table.includes(figure));
    }),
  ],
};
