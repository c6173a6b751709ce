import { TableContext } from "@partita/core";
import { analyzeKeys, watchPartitions } from "@partita/patterns";
import { stressPartition } from "@partita/testing";
import { type Chapter, holds, inPart, listOf, notBuilt } from "../item.ts";
import { Buckets, Lines, register, Runner } from "./model.ts";

const minute = (n: number): Date => new Date(Date.UTC(2026, 0, 1, 0, n));

export const scalability: Chapter = {
  title: "Scalability",
  items: [
    holds("Append-only keys are found, with a remedy", ["append-only", "no finding"], () =>
      [Lines, Runner].map((each) => analyzeKeys(each)[0]?.pattern ?? "no finding"),
    ),
    holds(
      "A hashed prefix distributes appended entities over partitions",
      true,
      async ({ storage, context, name }) => {
        for (let n = 0; n < 20; n++) context.create(Buckets, { log: name, at: minute(n), id: `id${n}` });
        await context.saveChanges();
        const rows = context.query(Buckets).where({ log: name });
        const partitions = await listOf(new TableContext(storage).partitions(Buckets, { log: name }));
        return partitions.length > 1 && (await rows.count()) === 20;
      },
    ),
    holds(
      "Its queries read every partition, and merge the results",
      [4, [19, 18, 17]],
      async ({ context, name }) => {
        for (let n = 0; n < 20; n++) context.create(Buckets, { log: name, at: minute(n), id: `id${n}` });
        await context.saveChanges();
        const latest = context.query(Buckets).where({ log: name }).inRowKeyOrder().take(3);
        return [latest.explain().partitions, (await latest.toArray()).map(({ at }) => at.getUTCMinutes())];
      },
    ),
    holds(
      "A stress test measures the entities a second of one partition",
      [true, true],
      async ({ storage, name }) => {
        const partition = { log: name, id: "a" };
        const report = await stressPartition(storage, Buckets, {
          partition,
          seconds: 1,
          rate: { from: 5, to: 10 },
          load: [
            { share: 1, run: (context, n) => void context.create(Buckets, { ...partition, at: minute(n) }) },
          ],
        });
        return [report.mostServed > 0, report.steps.every(({ failed }) => failed === 0)];
      },
    ),
    holds("The partitions under load are visible in a program", [true, 5], async ({ storage, name }) => {
      const watched = watchPartitions(storage, { showKeys: true });
      await register(watched, name, 5);
      await new TableContext(watched).query(Runner).where({ race: name, distance: "Full" }).toArray();
      const load = watched.load().partitions.find(({ partition }) => partition === `${name}__Full`);
      return [(load?.written ?? 0) >= 5, load?.read];
    }),
    inPart(
      "The sizes of the partitions of a table that exists",
      "`partita heat` prints them; a program lists the partitions and counts each",
      [5, 5],
      async ({ storage, context, name }) => {
        const sizes: number[] = [];
        for (const part of ["a", "b"]) await register(storage, `${name}-${part}`, 5);
        for (const race of [`${name}-a`, `${name}-b`])
          sizes.push(await context.query(Runner).where({ race, distance: "Full" }).count());
        return sizes;
      },
    ),
    notBuilt(
      "Partition servers split and move ranges of partitions",
      "The service does it; a client can't show it",
    ),
    notBuilt(
      "The service throttles a partition above its target",
      "Not in these storages; `partita serve --throttle` simulates it",
    ),
  ],
};
