import { expect, test, vi } from "vitest";
import { defineEntity, defineKind, double, int32, TableContext, text } from "../../../src/index.ts";
import { constant, padded } from "../../../src/keys.ts";
import { forwardStorage } from "../../../src/storage/forward-storage.ts";
import type { TableStorage } from "../../../src/storage/table-storage.ts";
import { storeOf } from "./store.ts";

class Runner extends defineEntity({
  table: "Runners",
  partitionKey: { race: text() },
  rowKey: { load: constant("BIB:", padded(2)), bib: padded(6) },
  properties: { age: int32(), name: text(), fee: double(), club: text().optional() },
  indexes: { byAge: { rowKey: { age: constant("AGE:", padded(3)) } } },
}) {}
class Walker extends defineKind(Runner, { kind: "Walker", properties: { poles: int32().default(2) } }) {}
class Sprinter extends defineKind(Runner, { kind: "Sprinter" }) {}

/** More rows than it takes until code is written for them. */
const total = 600;

async function filled(): Promise<TableStorage> {
  const storage = await storeOf(Runner);
  const context = new TableContext(storage);
  for (let bib = 0; bib < total; bib++) {
    const values = {
      race: "Oslo",
      load: bib % 7,
      bib,
      age: 20 + (bib % 50),
      name: `Läufer ${bib}`,
      fee: bib / 4,
    };
    if (bib % 3 === 0) context.create(Walker, { ...values, poles: bib % 5 });
    else context.create(Sprinter, bib % 3 === 1 ? values : { ...values, club: "A" });
  }
  await context.saveChanges();
  return storage;
}

/** The same store, which gives rows and no bytes. */
const withoutBytes = (storage: TableStorage): TableStorage => forwardStorage(storage, {});

const byAge = (storage: TableStorage): Promise<Runner[]> =>
  new TableContext(storage)
    .query(Runner)
    .via("byAge")
    .where((runner) => [runner.race.eq("Oslo"), runner.age.ge(30)])
    .mergeOption("noTracking")
    .toArray();

test("entities that are read from the bytes of their copies are those that their rows give", async () => {
  await using storage = await filled();
  for (let round = 0; round < 2; round++) await byAge(storage);

  const parse = vi.spyOn(JSON, "parse");
  const found = await byAge(storage);
  const parsed = parse.mock.calls.length;
  parse.mockRestore();

  expect(parsed).toBe(0);
  expect(found).toEqual(await byAge(withoutBytes(storage)));
  expect(found).toHaveLength(480);
  expect(found.filter((runner) => runner instanceof Walker)).toHaveLength(160);
});

test("tracked entities that were read from the bytes of their copies are changed and removed under their own keys", async () => {
  await using storage = await filled();
  for (let round = 0; round < 3; round++) await byAge(storage);
  const context = new TableContext(storage);
  const found = await context.query(Runner).via("byAge").where({ race: "Oslo", age: 30 }).toArray();

  for (const [i, runner] of found.entries())
    if (i % 2 === 0) runner.name = "changed";
    else context.remove(runner);
  await context.saveChanges();

  const left = await new TableContext(storage).query(Runner).where({ race: "Oslo" }).toArray();
  expect(found).toHaveLength(12);
  expect(left).toHaveLength(total - 6);
  expect(left.filter(({ name }) => name === "changed").map(({ age }) => age)).toEqual(Array(6).fill(30));
  expect(await byAge(storage)).toHaveLength(480 - 6);
});

test("of entities that are read from the bytes of their copies, one that the context has is the same object", async () => {
  await using storage = await filled();
  for (let round = 0; round < 3; round++) await byAge(storage);
  const context = new TableContext(storage);
  const mine = await context.find(Runner, { race: "Oslo", load: 3, bib: 10 });

  const found = await context.query(Runner).via("byAge").where({ race: "Oslo", age: 30 }).toArray();

  expect(found.some((runner) => runner === mine)).toBe(true);
});
