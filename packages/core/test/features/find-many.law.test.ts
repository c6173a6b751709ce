import { fc, test as propertyTest } from "@fast-check/vitest";
import { countedReads } from "@partita/test-support/counted-reads";
import { expect, test } from "vitest";
import { createTables, defineEntity, defineKind, openStorage, TableContext, text } from "../../src/index.ts";
import { descending, padded, padded64 } from "../../src/keys.ts";

class Up extends defineEntity({
  table: "Rows",
  partitionKey: { of: text() },
  rowKey: { group: text(), no: padded(3) },
  properties: { body: text() },
}) {}
class Down extends defineEntity({
  table: "Rows",
  partitionKey: { of: text() },
  rowKey: { group: text(), no: descending(padded(3)) },
  properties: { body: text() },
}) {}

const key = fc.record({
  of: fc.constantFrom("a", "b"),
  group: fc.constantFrom("g", "h"),
  no: fc.nat(30),
});
const list = fc.array(key, { maxLength: 30 });

for (const entityClass of [Up, Down])
  propertyTest.prop([list, list, list], { numRuns: 100 })(
    `findMany finds what find finds, and no more rows than twice the keys: ${entityClass.name}`,
    async (stored, tracked, keys) => {
      await using storage = await openStorage("memory:");
      await createTables(storage, [entityClass]);
      const writer = new TableContext(storage);
      const distinct = [...new Map(stored.map((each) => [JSON.stringify(each), each])).values()];
      for (const each of distinct) writer.create(entityClass, { ...each, body: JSON.stringify(each) });
      await writer.saveChanges();
      const counted = countedReads(storage);
      const context = new TableContext(counted.storage);
      const earlier = await Promise.all(tracked.map((each) => context.find(entityClass, each)));
      counted.reads.length = 0;

      const found = await context.findMany(entityClass, keys);

      const rows = counted.reads.map((read) => ("key" in read ? 1 : read.rows));
      expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2 * keys.length);
      expect(counted.reads.length).toBeLessThanOrEqual(
        new Set(keys.map((each) => JSON.stringify(each))).size,
      );
      counted.reads.length = 0;
      for (const [i, each] of keys.entries()) {
        const single = await new TableContext(storage).find(entityClass, each);
        expect(found[i]?.body).toBe(single?.body);
        const at = tracked.findIndex((other) => JSON.stringify(other) === JSON.stringify(each));
        if (at >= 0) expect(found[i]).toBe(earlier[at]);
      }
    },
  );

class Base extends defineEntity({
  table: "Kinds",
  separator: "!",
  partitionKey: { of: text() },
  rowKey: { no: padded64(19) },
  properties: {},
}) {}
class One extends defineKind(Base, { kind: "One", properties: { body: text() } }) {}
class Two extends defineKind(Base, { kind: "Two", properties: { body: text() } }) {}

test("a neighbour of another kind is refused as find refuses it", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [One, Two]);
  const context = new TableContext(storage);
  context.create(One, { of: "x", no: 10n ** 18n, body: "a" });
  context.create(Two, { of: "x", no: 10n ** 18n + 1n, body: "b" });
  await context.saveChanges();
  const keys = [0n, 1n].map((no) => ({ of: "x", no: 10n ** 18n + no }));

  const failed = new TableContext(storage).findMany(One, keys);

  await expect(failed).rejects.toMatchObject({ code: "kind.mismatch" });
  expect((await new TableContext(storage).findMany(One, keys.slice(0, 1)))[0]?.body).toBe("a");
});

test("more than 500 neighbours are several ranges", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Up]);
  const writer = new TableContext(storage);
  const numbers = Array.from({ length: 999 }, (_, no) => no);
  for (const no of numbers) writer.create(Up, { of: "x", group: "g", no, body: String(no) });
  await writer.saveChanges();
  const counted = countedReads(storage);

  const found = await new TableContext(counted.storage).findMany(
    Up,
    numbers.map((no) => ({ of: "x", group: "g", no })),
  );

  expect(found.map((each) => each?.body)).toEqual(numbers.map(String));
  expect(counted.reads).toHaveLength(2);
});

test("rows that a save changed while they were read are not taken for newer ones", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Up]);
  const keys = [1, 2].map((no) => ({ of: "x", group: "g", no }));
  const writer = new TableContext(storage);
  for (const each of keys) writer.create(Up, { ...each, body: "old" });
  await writer.saveChanges();
  const counted = countedReads(storage);
  const context = new TableContext(counted.storage);
  const [first] = (await context.findMany(Up, keys)) as [Up, Up];
  first.body = "new";

  const [, [again]] = await Promise.all([
    context.saveChanges(),
    context.findMany(Up, keys, { mergeOption: "overwriteChanges" }),
  ]);

  expect(again?.body).toBe("new");
  expect((await new TableContext(storage).find(Up, keys[0] as (typeof keys)[0]))?.body).toBe("new");
});
