import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type Query,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { padded } from "../../../src/keys.ts";

/** What is spread over a few partitions. */
export class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { shard: text() },
  rowKey: { at: padded(4) },
  properties: { n: int32().default(0), note: text().optional() },
}) {}

export type Place = readonly [shard: string, at: number];

/** A store with entities at these places; each knows its number. */
export async function storeOf(places: readonly Place[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Entry]);
  const context = new TableContext(storage);
  for (const [n, [shard, at]] of places.entries()) context.create(Entry, { shard, at, n });
  await context.saveChanges();
  return storage;
}

/** Places in turn over partitions, so many in all. */
export const inTurn = (shards: readonly string[], count: number): Place[] =>
  Array.from({ length: count }, (_, at) => [shards[at % shards.length] as string, at] as const);

/** The entities of these partitions, in RowKey order. */
export const ordered = (context: TableContext, shards: readonly string[]): Query<Entry> =>
  context
    .query(Entry)
    .where((e) => e.shard.in(shards))
    .inRowKeyOrder();

export const placesOf = (entries: readonly Pick<Entry, "shard" | "at">[]): string[] =>
  entries.map(({ shard, at }) => `${shard}${at}`);
