import { expectTypeOf, test } from "vitest";
import {
  dateTime,
  defineEntity,
  enumOf,
  guid,
  int32,
  json,
  type KeyOf,
  type TableContext,
  text,
} from "../../../src/index.ts";
import { ulid } from "../../../src/keys.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {
    token: text()
      .default(() => "made")
      .named("Token"),
    hint: text()
      .optional()
      .default(() => "made"),
    state: enumOf(["open", "done"]).default(() => "open"),
    at: dateTime().default(() => new Date()),
    tags: json<string[]>().default(() => []),
    rating: int32().default(3),
  },
}) {}

declare const context: TableContext;

test("a property with a default function may be left out of a new entity", () => {
  const blog = context.create(Blog, { channel: "news", id: "1" });
  context.create(Blog, { channel: "news", id: "1", token: "given" });

  expectTypeOf(blog.token).toEqualTypeOf<string>();
  expectTypeOf(blog.hint).toEqualTypeOf<string | undefined>();
  expectTypeOf(blog.state).toEqualTypeOf<"open" | "done">();
  expectTypeOf<KeyOf<typeof Blog>>().toEqualTypeOf<{ channel: string; id: string }>();
});

test("a function of other values, of arguments or of promises is refused", () => {
  // @ts-expect-error a number is no text
  text().default(() => 3);
  // @ts-expect-error a default function takes nothing
  text().default((given: string) => given);
  // @ts-expect-error it is not asynchronous
  text().default(async () => Promise.resolve("made"));
  // @ts-expect-error a text is no number
  int32().default("3");
});

class Customer extends defineEntity({
  table: "Customers",
  partitionKey: { tenant: text() },
  rowKey: { id: ulid, ticket: guid() },
  properties: { other: guid() },
}) {}

test("generated parts of a key may be left out of a new entity, and not of a key", () => {
  const other = "4185404a-5818-48c3-b9be-f217df0dba6f";
  context.create(Customer, { tenant: "acme", other });
  // @ts-expect-error a GUID that is no part of a key is not generated
  context.create(Customer, { tenant: "acme" });
  // @ts-expect-error a key is complete
  void context.find(Customer, { tenant: "acme" });

  expectTypeOf<KeyOf<typeof Customer>>().toEqualTypeOf<{ tenant: string; id: string; ticket: string }>();
});
