import {
  binary,
  bool,
  dateTime,
  defineEntity,
  double,
  guid,
  int32,
  int64,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { constant, descending, newestFirst, padded } from "@partita/core/keys";

export class Channel extends defineEntity({
  table: "Channels",
  partitionKey: { name: text() },
  rowKey: { kind: constant("channel") },
  properties: { isValid: bool().default(true) },
}) {}

/** The blogs of a channel are one partition, the latest first. */
export class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), rating: int32().default(0), author: text().optional() },
}) {}

/** A blog that is also sorted by its rating. */
export class Rated extends defineEntity({
  table: "RatedBlogs",
  partitionKey: { channel: text() },
  rowKey: { postedOn: constant("POST:", newestFirst) },
  properties: { rating: int32() },
  indexes: {
    byRating: { rowKey: { rating: constant("RATING:", descending(padded(1))), postedOn: newestFirst } },
  },
}) {}

/** An entity with every type of the service. */
export class Sample extends defineEntity({
  table: "Samples",
  partitionKey: { name: text() },
  rowKey: { id: text() },
  properties: {
    bytes: binary().optional(),
    flag: bool().optional(),
    at: dateTime().optional(),
    double: double().optional(),
    guid: guid().optional(),
    int: int32().optional(),
    long: int64().optional(),
    text: text().optional(),
  },
  timestampProperty: "storedAt",
}) {
  declare storedAt?: Date;
}

/** The nth day of October 2008. */
export const october = (day: number): Date => new Date(Date.UTC(2008, 9, day));

/** Stores blogs of the first days of October, and returns them. The blog of day n has the rating n. */
export async function post(storage: TableStorage, channel: string, count: number): Promise<Blog[]> {
  await using context = new TableContext(storage);
  const blogs = Array.from({ length: count }, (_, i) =>
    context.create(Blog, { channel, postedOn: october(i + 1), text: `Blog ${i + 1}`, rating: i + 1 }),
  );
  await context.saveChanges();
  return blogs;
}

/** A blog as another program reads it. */
export const readAgain = (storage: TableStorage, channel: string, day: number): Promise<Blog | undefined> =>
  new TableContext(storage).find(Blog, { channel, postedOn: october(day) });
