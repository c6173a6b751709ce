import { fc } from "@fast-check/vitest";
import { expect } from "vitest";
import { createTables, TableContext, type TableStorage, Ticks } from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { modelOf } from "../../../src/models.ts";
import { codecOf } from "../../../src/model/codec/codec-of.ts";
import { keyOfEntity } from "../../../src/model/codec/entity-key.ts";
import { restoreStored } from "../../../src/model/codec/snapshot.ts";
import { type Field, type ModelOptions, type RandomModel, randomModel } from "./random-model.ts";
import { build, holds, printTree, randomPredicate, type Tree } from "./random-predicate.ts";

/** Rows as their values, and questions about them. */
export interface LawCase {
  readonly model: RandomModel;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly predicates: readonly Tree[];
}

export const lawCase = (options: ModelOptions): fc.Arbitrary<LawCase> =>
  randomModel(options).chain((model) =>
    fc
      .record({
        rows: fc.array(rowOf(model.fields), { maxLength: 14 }),
        predicates: fc.array(randomPredicate(model.fields), { minLength: 1, maxLength: 4 }),
      })
      .map((drawn) => ({
        ...drawn,
        model,
        [fc.toStringMethod]: () =>
          [
            model.description,
            ...drawn.rows.map((row) => fc.stringify(row)),
            ...drawn.predicates.map(printTree),
          ].join("\n"),
      })),
  );

function rowOf(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(fields.map(({ name, values }) => [name, values])), {
    requiredKeys: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  });
}

/**
 * The law: a query returns exactly the entities for which its predicate is true, each once, in key order; whole, by
 * `take`, by `page` and counted. No request of it reads a whole table unless `scan()` allows it.
 */
export async function checkLaw(storage: TableStorage, { model, rows, predicates }: LawCase): Promise<void> {
  const { entityClass, fields } = model;
  // A smaller counterexample is looked for in the same table.
  await storage.deleteTable(modelOf(entityClass).table).catch(() => undefined);
  await createTables(storage, [entityClass]);
  const stored = await store(storage, model, rows);
  const reads = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, row[name] ?? initial]));
  const context = new TableContext(storage, { mergeOption: "noTracking" });
  for (const predicate of predicates) {
    const query = context.query(entityClass).where((columns) => build(predicate, columns as never));
    const expected = [...stored].filter(([, row]) => holds(predicate, reads(row))).map(([key]) => key);
    const about = `${model.description}\n${printTree(predicate)}\n${String(query.explain())}`;
    const asked = query.scan();
    const keysOf = (entities: readonly object[]): string[] =>
      entities.map((entity) => keyText(keyOfEntity(modelOf(entityClass), entity)));

    expect(keysOf(await asked.toArray()), about).toEqual(expected);
    expect(await asked.count(), about).toBe(expected.length);
    expect(keysOf(await asked.take(2).toArray()), about).toEqual(expected.slice(0, 2));
    const paged: object[] = [];
    for await (const { entities } of asked.pages({ size: 3 })) paged.push(...entities);
    expect(keysOf(paged), about).toEqual(expected);
    const reversed = expected.toReversed();
    expect(keysOf(await asked.last(3)), about).toEqual(expected.slice(-3));
    expect(keysOf(await asked.reverse().take(5).toArray()), about).toEqual(reversed.slice(0, 5));
    const backwards: object[] = [];
    for await (const { entities } of asked.reverse().pages({ size: 3 })) backwards.push(...entities);
    expect(keysOf(backwards), about).toEqual(reversed);
    expect(await asked.exists(), about).toBe(expected.length > 0);
    const { type, requests } = query.explain();
    if (type !== "table scan")
      expect(
        requests.every((request) => request.type !== "table scan"),
        about,
      ).toBe(true);
    else await expect(query.toArray(), about).rejects.toMatchObject({ code: "query.scan-refused" });
  }
}

type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Stores rows as a program of another kind may have: dates of 7 digits, absent values; the keys in order. */
export async function store(
  storage: TableStorage,
  { entityClass }: RandomModel,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<Rows> {
  const model = modelOf(entityClass);
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const row of rows) {
    const asDates = model.properties.filter(
      ({ name, serializer }) => serializer.name === "DateTime" && row[name] instanceof Ticks,
    );
    const values = { ...row };
    for (const { name } of asDates) values[name] = (row[name] as Ticks).toDate();
    let entity: StoredEntity;
    try {
      const key = keyOfEntity(model, values);
      entity = restoreStored(model, key, codecOf(model).write(values, key));
    } catch (error) {
      if ((error as { code?: string }).code !== "key.contains-separator") throw error;
      continue;
    }
    const key = keyText({ partitionKey: entity.PartitionKey, rowKey: entity.RowKey });
    if (found.has(key)) continue;
    const exact = Object.fromEntries(asDates.map(({ name, storedName }) => [storedName, String(row[name])]));
    await storage.write(model.table, { type: "insert", entity: { ...entity, ...exact } as StoredEntity });
    found.set(key, row);
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** U+0000 sorts below everything that keys may hold. */
const keyText = ({ partitionKey, rowKey }: { partitionKey: string; rowKey: string }): string =>
  `${partitionKey}\0${rowKey}`;
