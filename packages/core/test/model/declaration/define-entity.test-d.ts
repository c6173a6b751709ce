import { expectTypeOf, test } from "vitest";
import {
  defineEntity,
  defineKind,
  int32,
  int64,
  json,
  type ModelError,
  type TableContext,
  text,
} from "../../../src/index.ts";
import { constant, newestFirst, padded, padded64 } from "../../../src/keys.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { prefix: constant("B:"), postedOn: newestFirst, n: padded(5), big: padded64(18) },
  properties: {
    text: text(),
    rating: int32().default(0),
    note: text().optional(),
    tags: json<string[]>().optional(),
    views: int64().named("Views"),
  },
}) {
  get headline(): string {
    return `${this.channel}: ${this.text}`;
  }
}

class Place extends defineEntity({
  table: "Places",
  partitionKey: { country: text() },
  rowKey: {},
  properties: { name: text() },
}) {
  label(): string {
    return this.name;
  }
}

class City extends defineKind(Place, {
  kind: { name: "City", key: "prefix" },
  rowKey: { id: padded(9) },
  properties: { population: int32() },
}) {}

declare const context: TableContext;
const whole = { channel: "x", postedOn: new Date(), n: 1, big: 2n, text: "t", views: 1n };

test("an instance has the declared properties", () => {
  const blog = new Blog(whole);
  expectTypeOf(blog.postedOn).toEqualTypeOf<Date>();
  expectTypeOf(blog.prefix).toEqualTypeOf<"B:">();
  expectTypeOf(blog.big).toEqualTypeOf<bigint>();
  expectTypeOf(blog.rating).toEqualTypeOf<number>();
  expectTypeOf(blog.note).toEqualTypeOf<string | undefined>();
  expectTypeOf(blog.tags).toEqualTypeOf<string[] | undefined>();
  expectTypeOf(blog.headline).toEqualTypeOf<string>();
  blog.note = undefined;
});

test("a property has a ? where it is optional, and nowhere else", () => {
  expectTypeOf<Record<never, never>>().toExtend<Pick<Blog, "note">>();
  const blog = new Blog(whole);
  // @ts-expect-error a default is there for rows without a value
  blog.rating = undefined;
  // @ts-expect-error a required property always has a value
  blog.text = undefined;
  // @ts-expect-error null is not stored
  blog.note = null;
});

test("a new instance needs keys and required properties, and takes no others", () => {
  new Blog();
  new Blog({ ...whole, rating: 3, note: undefined });
  // @ts-expect-error text is missing
  new Blog({ channel: "x", postedOn: new Date(), n: 1, big: 2n, views: 1n });
  // @ts-expect-error a date is no text
  new Blog({ ...whole, postedOn: "2020" });
  // @ts-expect-error there is no such property
  new Blog({ ...whole, foo: 1 });
  // @ts-expect-error a bigint is no number
  new Blog({ ...whole, views: 1 });
});

test("find takes the whole key and nothing else", () => {
  const found = context.find(Blog, { channel: "x", postedOn: new Date(), n: 1, big: 2n });
  expectTypeOf(found).resolves.toEqualTypeOf<Blog | undefined>();
  // @ts-expect-error parts are missing
  void context.find(Blog, { channel: "x" });
  // @ts-expect-error text is no key part
  void context.find(Blog, { channel: "x", postedOn: new Date(), n: 1, big: 2n, text: "t" });
  // @ts-expect-error a number is no date
  void context.find(Blog, { channel: "x", postedOn: 1, n: 1, big: 2n });
});

test("a kind is an entity of its base, with more", () => {
  const city = new City({ country: "BR", id: 1, name: "x", population: 3 });
  expectTypeOf(city).toExtend<Place>();
  expectTypeOf(city.label()).toEqualTypeOf<string>();
  expectTypeOf(context.find(City, { country: "BR", id: 1 })).resolves.toEqualTypeOf<City | undefined>();
  // @ts-expect-error id is missing
  new City({ country: "BR", name: "x", population: 3 });
  // @ts-expect-error id is a key part of a city
  void context.find(City, { country: "BR" });
});

test("create takes what a new instance takes and returns the class", () => {
  expectTypeOf(
    context.create(City, { country: "BR", id: 1, name: "x", population: 3 }),
  ).toEqualTypeOf<City>();
  // @ts-expect-error name is missing
  context.create(City, { country: "BR", id: 1, population: 3 });
});

test("defaults and key formats are of the property's type", () => {
  // @ts-expect-error text is no number
  int32().default("0");
  // @ts-expect-error a bigint is no number
  padded(5).encode(1n);
  // @ts-expect-error int64 is no key format
  defineEntity({ table: "T", partitionKey: { a: int64() }, rowKey: {}, properties: {} });
});

test("a model error as a type shows its sentence", () => {
  expectTypeOf<ModelError<"a sentence">["message"]>().toEqualTypeOf<"a sentence">();
});
