import { describe, expect, test } from "vitest";
import { dateTime, defineEntity, defineKind, type EntityClass, guid, int32, text } from "@partita/core";
import { analyzeKeys } from "../src/index.ts";
import {
  type AnyKeyFormat,
  bucket,
  constant,
  day,
  descending,
  escaped,
  hour,
  month,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  slices,
  ulid,
  week,
} from "@partita/core/keys";

/** A class whose PartitionKey is one part of this format. */
const classWith = (format: AnyKeyFormat): EntityClass =>
  class Reading extends defineEntity({
    table: "Readings",
    partitionKey: { part: format },
    rowKey: { device: text(), at: oldestFirst },
    properties: {},
  }) {};

/** One whose PartitionKey is made of the date in its RowKey. */
const slicedBy = (format: AnyKeyFormat): EntityClass =>
  class Reading extends defineEntity({
    table: "Readings",
    partitionKey: { at: format },
    rowKey: { at: newestFirst },
    properties: { note: text(), sensor: int32() },
  }) {};

const patternsOf = (entityClass: EntityClass): string[] =>
  analyzeKeys(entityClass).map(({ pattern }) => pattern);

describe("the first part that varies", () => {
  test.each([
    ["oldestFirst", oldestFirst],
    ["oldestFirst in ticks", oldestFirst({ ticks: true })],
    ["ulid", ulid],
    ["newestFirst turned round", descending(newestFirst)],
    ["oldestFirst behind a literal", constant("AT:", oldestFirst)],
  ])("%s is append-only", (_, format) => {
    expect(patternsOf(classWith(format))).toEqual(["append-only"]);
  });

  test.each([
    ["newestFirst", newestFirst],
    ["newestFirst in ticks", newestFirst({ ticks: true })],
    ["ulid turned round", descending(ulid)],
    ["newestFirst behind a literal", constant("AT:", newestFirst)],
  ])("%s is prepend-only", (_, format) => {
    expect(patternsOf(classWith(format))).toEqual(["prepend-only"]);
  });

  test.each([
    ["padded", padded(10)],
    ["padded64", padded64(19)],
    ["padded turned round", descending(padded(10))],
  ])("%s may be a counter", (_, format) => {
    expect(patternsOf(classWith(format))).toEqual(["counter"]);
  });

  test.each([
    ["a GUID", guid()],
    ["a GUID turned round", descending(guid)],
    ["text", text()],
    ["escaped text", escaped],
  ])("%s is not found", (_, format) => {
    expect(patternsOf(classWith(format as AnyKeyFormat))).toEqual([]);
  });
});

describe("a part that is made of a date elsewhere", () => {
  test.each([
    ["month", month],
    ["week", week],
    ["day, oldest first", day(oldestFirst)],
    ["hour", hour],
    ["slices by rule", slices({ by: month }, { months: [6, 7, 8], by: week })],
  ])("%s is append-only", (_, format) => {
    expect(patternsOf(slicedBy(format))).toEqual(["append-only"]);
  });

  test.each([
    ["month", month(newestFirst)],
    ["hour", hour(newestFirst)],
    ["slices by rule", slices({ by: day(newestFirst) })],
  ])("%s, newest first, is prepend-only", (_, format) => {
    expect(patternsOf(slicedBy(format))).toEqual(["prepend-only"]);
  });

  test("a bucket of a date is not found", () => {
    expect(patternsOf(slicedBy(bucket(16)))).toEqual([]);
  });

  test("a bucket of a counter is not found", () => {
    class Order extends defineEntity({
      table: "Orders",
      partitionKey: { number: bucket(10, { by: "modulo" }) },
      rowKey: { number: padded(10) },
      properties: {},
    }) {}

    expect(analyzeKeys(Order)).toEqual([]);
  });
});

describe("several parts", () => {
  test("constants in front are passed over, and the part behind them is judged", () => {
    class Reading extends defineEntity({
      table: "Readings",
      partitionKey: { type: constant("reading"), at: oldestFirst },
      rowKey: { device: text() },
      properties: {},
    }) {}

    expect(analyzeKeys(Reading)).toEqual([
      {
        pattern: "append-only",
        part: "at",
        remedy:
          "Put bucket(16) of device in front of at in the PartitionKey of Reading. New entities are then spread over the table, but a query for a range of at reads one range in each bucket.",
      },
    ]);
  });

  test("nothing varies in a key of constants", () => {
    expect(patternsOf(classWith(constant("all")))).toEqual([]);
  });

  test("a bucket or text in front spreads what follows it", () => {
    class Reading extends defineEntity({
      table: "Readings",
      partitionKey: { device: bucket(16), at: oldestFirst },
      rowKey: { device: text() },
      properties: {},
    }) {}
    class Post extends defineEntity({
      table: "Posts",
      partitionKey: { channel: text(), postedOn: month(newestFirst) },
      rowKey: { postedOn: newestFirst },
      properties: {},
    }) {}

    expect(analyzeKeys(Reading)).toEqual([]);
    expect(analyzeKeys(Post)).toEqual([]);
  });
});

describe("the remedy", () => {
  const remedyOf = (entityClass: EntityClass): string | undefined => analyzeKeys(entityClass)[0]?.remedy;

  test("moves a part that spreads to the front", () => {
    class Post extends defineEntity({
      table: "Posts",
      partitionKey: { postedOn: day, channel: text() },
      rowKey: { postedOn: oldestFirst },
      properties: {},
    }) {}

    expect(remedyOf(Post)).toMatch(/^Put channel in front of postedOn in the PartitionKey of Post\./);
  });

  test("names a number that every entity has, where the RowKey is the same date", () => {
    expect(remedyOf(slicedBy(month))).toMatch(/^Put bucket\(16\) of sensor in front of at /);
  });

  test("asks for another property, where there is none to spread by", () => {
    class Reading extends defineEntity({
      table: "Readings",
      partitionKey: { at: month },
      rowKey: { at: newestFirst },
      properties: { note: text(), measuredOn: dateTime(), sensor: int32().optional() },
    }) {}

    expect(remedyOf(Reading)).toMatch(
      /bucket\(16\) of a property other than at, such as a guid\(\) in front/,
    );
  });

  test("says of a counter that only numbers in order need it", () => {
    expect(remedyOf(classWith(padded(10)))).toBe(
      "If the numbers are assigned in order, put bucket(16) of device in front of part in the PartitionKey of Reading. Numbers without an order need no change.",
    );
  });
});

test("a kind has the PartitionKey of its base", () => {
  class Event extends defineEntity({
    table: "Events",
    partitionKey: { at: oldestFirst },
    rowKey: { id: guid() },
    properties: {},
  }) {}
  class Alarm extends defineKind(Event, { kind: "alarm", properties: { level: int32() } }) {}

  expect(analyzeKeys(Alarm)).toMatchObject([{ pattern: "append-only", part: "at" }]);
});

test("what is no entity class is refused", () => {
  expect(() => analyzeKeys(Date as never)).toThrow(
    expect.objectContaining({ code: "model.not-an-entity" }) as Error,
  );
});
