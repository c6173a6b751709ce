import { anyInteger, anyText, definePatterns, pattern } from "@partita/patterns";
import { createTables, openStorage, TableContext } from "@partita/core";
import { expect, test } from "vitest";
import { assertPatterns, assertRequests, patternTable } from "../../src/index.ts";
import { Runner } from "./bookings.ts";

const race = { race: anyText(), distance: anyText() };

const patterns = definePatterns({
  "by e-mail": pattern(
    Runner,
    { ...race, email: anyText({ max: 200 }) },
    (query, values) => query.where(values),
    {
      atMost: "point",
      via: "byEmail",
      requests: 2,
      partitions: 1,
      client: "nothing",
    },
  ),
  "oldest first": pattern(
    Runner,
    { ...race, age: anyInteger({ min: 0, max: 120 }) },
    (query, { race: of, distance, age }) =>
      query.via("byAge").where((r) => [r.race.eq(of), r.distance.eq(distance), r.age.ge(age)]),
    { atMost: "row range scan", via: "byAge", partitions: 1 },
  ),
});

test("a pattern names the index that answers it, and counts the requests for the rows behind it", async () => {
  const checked = await assertPatterns(patterns);

  expect(checked.map(({ plan }) => [plan.type, plan.index, plan.requests])).toEqual([
    ["point", "byEmail", 2],
    ["row range scan", "byAge", undefined],
  ]);
  expect(patternTable(checked)).toMatch(
    /^\| oldest first \| row range scan .*\| one for each entity .*\| byAge +\|$/m,
  );
});

test("the program reads what the pattern says", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Runner]);
  const writer = new TableContext(storage);
  const full = { race: "Berlin", distance: "Full" };
  writer.create(Runner, { ...full, bib: 7, name: "Ann", age: 50, email: "ann@example.com" });
  await writer.saveChanges();
  const context = new TableContext(storage, { patterns, unknownPattern: "error", mergeOption: "noTracking" });
  const byEmail = patterns["by e-mail"].query(context, { ...full, email: "ann@example.com" });

  const found = await assertRequests(["get Races", "get Races"], () => byEmail.toArray());
  expect(found).toMatchObject([{ bib: 7 }]);
  const old = patterns["oldest first"].query(context, { ...full, age: 40 });
  expect(await old.toArray()).toMatchObject([{ bib: 7 }]);
  expect(old.explain().shape).toBe("Runner via byAge: age ge and distance eq and race eq");
  await expect(
    context
      .query(Runner)
      .where((r) => [r.race.eq("Berlin"), r.distance.eq("Full"), r.age.ge(40)])
      .toArray(),
  ).rejects.toMatchObject({ code: "pattern.unknown" });
});

test("text that the keys of an index cannot hold is found: the planner reads the class's own keys then", async () => {
  const error: unknown = await assertPatterns(
    definePatterns({
      "by club": pattern(Runner, { ...race, club: anyText() }, (query, values) => query.where(values), {
        atMost: "point",
      }),
    }),
  ).catch((each: unknown) => each);

  expect(error).toMatchObject({ code: "pattern.too-wide", details: { type: "partition scan" } });
  expect((error as { details: { values: { club: string } } }).details.values.club).toMatch(
    // oxlint-disable-next-line no-control-regex
    /[/\\#?\u0000-\u001f\u007f-\u009f]/,
  );
});

test("a pattern that is answered otherwise, or by more requests, is refused", async () => {
  const refusal = async (declaration: Parameters<typeof definePatterns>[0][string]): Promise<unknown> =>
    assertPatterns(definePatterns({ it: declaration })).catch((error: unknown) => error);

  const byKeys = pattern(
    Runner,
    { ...race, age: anyInteger({ min: 0, max: 120 }) },
    (query, values) => query.via("primary").where(values),
    { atMost: "partition scan", via: "byAge" },
  );
  expect(await refusal(byKeys)).toMatchObject({
    code: "pattern.too-wide",
    message: expect.stringContaining(
      "is answered by the keys of its class, but should be answered by the index byAge",
    ),
  });
  const oneEach = pattern(
    Runner,
    { ...race, age: anyInteger({ min: 0, max: 120 }) },
    (query, values) => query.via("byAge").where(values),
    { atMost: "row range scan", requests: 9 },
  );
  expect(await refusal(oneEach)).toMatchObject({
    message: expect.stringContaining("becomes one request for each entity, but may be at most 9"),
  });
  const twice = pattern(
    Runner,
    { ...race, email: anyText({ max: 200 }) },
    (query, values) => query.where(values),
    {
      atMost: "point",
      requests: 1,
    },
  );
  expect(await refusal(twice)).toMatchObject({
    message: expect.stringContaining("becomes 2 requests, but may be at most 1"),
  });
});
