// `TableContext.findMany` calls this file. Keys that end with close, padded numbers are read as one key range, all
// others by point reads. With an `or` filter, the service would scan the partition.

import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import { filterOfBounds } from "../../values/filter/key-bounds.ts";
import { exactly } from "../../values/keys/text-range.ts";
import { keyOfEntity, keysOfEntity } from "../../model/codec/entity-key.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import { modelOf } from "../../model/declaration/model-registry.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { ContextParts } from "./context-parts.ts";
import type { FindOptions, KnownKeys, ReadKey } from "./entity-reader.ts";

interface NumberedKey extends EntityKey {
  /** The number at the end of the RowKey. */
  readonly number: bigint;
}

/**
 * Finds the entities with these keys, in their order; undefined for those not stored.
 *
 * @param withLists - finds one entity with its lists, if lists are requested
 */
export async function findMany(
  { reader, storage, tracker }: ContextParts,
  entityClass: EntityClass,
  keys: readonly object[],
  options: FindOptions,
  withLists?: (key: object) => Promise<object | undefined>,
): Promise<(object | undefined)[]> {
  const model = modelOf(entityClass);
  const distinct = new Map(keys.map((key) => [idOf(keyOfEntity(model, key)), key]));
  const isRead = (key: EntityKey): boolean =>
    options.mergeOption !== undefined || tracker.entities.ofKey(model, key) === undefined;
  const wanted = [...distinct.values()].map((key) => keyOfEntity(model, key)).filter(isRead);
  const { signal, retry } = options;
  const known =
    withLists === undefined
      ? await readNeighbours({ storage, tracker }, model, wanted, { signal, retry })
      : undefined;
  const found = await inParallel([...distinct], pointReads, async ([id, key]) => {
    const one = withLists?.(key) ?? reader.find(entityClass, model, keysOfEntity(model, key), options, known);
    return [id, await one] as const;
  });
  const entities = new Map(found);
  return keys.map((key) => entities.get(idOf(keyOfEntity(model, key))));
}

/** Reads ranges of neighbouring keys. */
async function readNeighbours(
  { storage, tracker }: Pick<ContextParts, "storage" | "tracker">,
  model: EntityModel,
  keys: readonly EntityKey[],
  options: RequestOptions,
): Promise<KnownKeys> {
  const known = new Map<string, ReadKey>();
  await inParallel(runsOf(model, keys), pointReads, async (run) => {
    const readAt = tracker.revision;
    const [first, last] = [run[0], run.at(-1)] as [NumberedKey, NumberedKey];
    const rowKey = {
      lower: { text: first.rowKey, inclusive: true },
      upper: { text: last.rowKey, inclusive: true },
    };
    const filter = filterOfBounds({ partitionKey: exactly(first.partitionKey), rowKey }) as FilterNode;
    const page = await storage.readRows(model.table, { filter, top: rowsOf(run.length) }, undefined, options);
    const rows = new Map((page.rows as StoredEntity[]).map((row) => [row.RowKey, row]));
    // Rows of other kinds may lie in between. Only one page is read: the remaining keys are read one by one.
    for (const key of run)
      if (page.next === undefined || rows.has(key.rowKey))
        known.set(idOf(key), { row: rows.get(key.rowKey), readAt });
  });
  return (key) => known.get(idOf(key));
}

/** The text of a key. */
const idOf = ({ partitionKey, rowKey }: EntityKey): string => `${partitionKey}\0${rowKey}`;

/** Runs of at least two keys, each spanning at most twice as many rows as keys. */
function runsOf(model: EntityModel, keys: readonly EntityKey[]): NumberedKey[][] {
  const format = model.rowKey.parts.at(-1)?.format;
  if (format?.pattern !== "counter" || format.width === undefined) return [];
  return groupsOf(keys, format.width)
    .flatMap(runsIn)
    .filter(({ length }) => length > 1);
}

function runsIn(group: readonly NumberedKey[]): NumberedKey[][] {
  const runs: NumberedKey[][] = [];
  let run: NumberedKey[] = [];
  for (const key of group.toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
    const count = run.length + 1;
    const span = key.number - (run[0] ?? key).number + 1n;
    if (run.length === 0 || span > rowsOf(count) || rowsOf(count) > maxPageSize) runs.push((run = []));
    run.push(key);
  }
  return runs;
}

/** Maximum number of rows in a range for this many keys. */
const rowsOf = (keys: number): number => 2 * keys;

/** Groups keys that differ only in their last digits. */
function groupsOf(keys: readonly EntityKey[], digits: number): NumberedKey[][] {
  const groups = new Map<string, NumberedKey[]>();
  for (const key of keys) {
    const number = key.rowKey.slice(-digits);
    if (!/^\d+$/.test(number)) continue;
    const id = idOf({ ...key, rowKey: key.rowKey.slice(0, -digits) });
    const group = groups.get(id) ?? [];
    group.push({ ...key, number: BigInt(number) });
    groups.set(id, group);
  }
  return [...groups.values()];
}
