import { fc, test as propertyTest } from "@fast-check/vitest";
import { randomClass } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import {
  binary,
  bool,
  type Children,
  dateTime,
  defineEntity,
  defineKind,
  double,
  enumOf,
  fromPlain,
  guid,
  int32,
  int64,
  json,
  type Plain,
  text,
  Ticks,
  toPlain,
} from "../../src/index.ts";
import { newestFirst, padded64 } from "../../src/keys.ts";

class Everything extends defineEntity({
  table: "Everything",
  partitionKey: { tenant: text(), number: padded64(12) },
  rowKey: { at: newestFirst },
  properties: {
    title: text(),
    size: int32(),
    views: int64(),
    weight: double(),
    isOpen: bool(),
    editedOn: dateTime(),
    exact: dateTime({ ticks: true }),
    id: guid(),
    cover: binary(),
    tags: json<{ names: string[] }>(),
    colour: enumOf(["red", "green"]),
    note: text().optional(),
  },
  etagProperty: "etag",
}) {}

const full = (): Everything =>
  new Everything({
    tenant: "t",
    number: 5n,
    at: new Date("2026-11-22T10:00:00.123Z"),
    title: "A",
    size: 1,
    views: 9_007_199_254_740_993n,
    weight: Number.NaN,
    isOpen: true,
    editedOn: new Date("2026-01-02T03:04:05.006Z"),
    exact: Ticks.parse("2026-01-02T03:04:05.0061234Z"),
    id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    cover: new Uint8Array([1, 2, 255]),
    tags: { names: ["x"] },
    colour: "red",
  });

test("an entity with values that JSON lacks becomes JSON, by the names of its class", () => {
  const entity = Object.assign(full(), { etag: 'W/"1"' });

  expect(() => JSON.stringify(entity)).toThrow(TypeError);
  expect(JSON.parse(JSON.stringify(toPlain(entity)))).toEqual({
    tenant: "t",
    number: "5",
    at: "2026-11-22T10:00:00.123Z",
    title: "A",
    size: 1,
    views: "9007199254740993",
    weight: "NaN",
    isOpen: true,
    editedOn: "2026-01-02T03:04:05.006Z",
    exact: "2026-01-02T03:04:05.0061234Z",
    id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    cover: "AQL/",
    tags: { names: ["x"] },
    colour: "red",
    etag: 'W/"1"',
  });
});

test("what was made plain becomes an equal entity again", () => {
  const entity = Object.assign(full(), { etag: 'W/"1"' });

  const again = fromPlain(Everything, JSON.parse(JSON.stringify(toPlain(entity))) as Record<string, unknown>);

  expect(again).toBeInstanceOf(Everything);
  expect(again).toEqual(entity);
});

propertyTest.prop(
  [randomClass("Random").chain(({ entityClass, values }) => fc.tuple(fc.constant(entityClass), values))],
  {
    numRuns: 500,
  },
)("every storable entity survives JSON", ([entityClass, values]) => {
  const entity = Object.assign(new (entityClass as new () => object)(), values);

  const again = fromPlain(
    entityClass,
    JSON.parse(JSON.stringify(toPlain(entity))) as Record<string, unknown>,
  );

  expect(toPlain(again)).toEqual(toPlain(entity));
});

test("children go along", () => {
  class Base extends defineEntity({
    table: "Blogs",
    partitionKey: { p: text() },
    rowKey: { id: text() },
    properties: {},
  }) {}
  class Comment extends defineKind(Base, {
    kind: "Comment",
    rowKey: { n: text() },
    properties: { likes: int64() },
  }) {}
  class Blog extends defineKind(Base, {
    kind: "Blog",
    properties: {},
    children: { comments: () => Comment },
  }) {}
  const blog = new Blog({ p: "p", id: "1" });
  blog.comments = [new Comment({ p: "p", id: "1", n: "a", likes: 3n })] as unknown as Children<Comment>;

  const plain = toPlain(blog);

  expect(plain).toEqual({
    Kind: "Blog",
    p: "p",
    id: "1",
    comments: [{ Kind: "Comment", p: "p", id: "1", n: "a", likes: "3" }],
  });
  // The base makes the kind that the data names.
  expect(fromPlain(Base, plain)).toBeInstanceOf(Blog);
  expect(() => fromPlain(Comment, plain)).toThrow(expect.objectContaining({ code: "plain.wrong-kind" }));
  expect(fromPlain(Blog, plain).comments?.[0]).toBeInstanceOf(Comment);
});

test.each([
  ["a name that the class does not declare", { titel: "x" }, "plain.unknown-property"],
  ["a value of another type", { size: "a lot" }, "plain.invalid-value"],
  ["an object for a number", { size: {} }, "plain.invalid-value"],
  ["a key part that does not fit", { at: "yesterday" }, "plain.invalid-value"],
  ["a date that is none", { editedOn: "2026-99-99T00:00:00Z" }, "plain.invalid-value"],
])("%s is refused, without its value", (_name, values, code) => {
  const refused = (): Everything => fromPlain(Everything, values as Partial<Plain<Everything>>);

  expect(refused).toThrow(expect.objectContaining({ code }));
  expect(refused).not.toThrow(/a lot|yesterday|2026-99/);
});

test.each([
  ["a day that no month has", "2026-02-31T00:00:00Z"],
  ["more digits than the key holds", "2026-02-03T00:00:00.1234567Z"],
])("%s is no key part", (_name, at) => {
  expect(() => fromPlain(Everything, { at })).toThrow(
    expect.objectContaining({ code: "plain.invalid-value" }),
  );
});

test("a key part that could not be stored is refused as a save refuses it", () => {
  expect(() => toPlain(Object.assign(full(), { at: new Date(Number.NaN) }))).toThrow(
    expect.objectContaining({ code: "key.invalid-part" }),
  );
});

test("what is no object is refused", () => {
  for (const value of [null, 1, "x", []])
    expect(() => fromPlain(Everything, value as never)).toThrow(
      expect.objectContaining({ code: "plain.not-an-object" }),
    );
});
