import { afterEach, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  fromPlain,
  json,
  openStorage,
  TableContext,
  text,
} from "../../../src/index.ts";

let calls = 0;
afterEach(() => {
  calls = 0;
});

const keys = { partitionKey: { channel: text() }, rowKey: { id: text() } } as const;
const key = { channel: "news", id: "1" } as const;
const counted = text()
  .optional()
  .default(() => String(++calls));

test("new fills an entity, and adding it does not fill it again", () => {
  class Blog extends defineEntity({ table: "Blogs", ...keys, properties: { token: counted } }) {}

  const blog = new Blog(key);

  expect(blog.token).toBe("1");
  expect(new Blog({ ...key, token: "given" }).token).toBe("given");
  expect(new Blog({ ...key, token: null as never }).token).toBe("2");
  expect(calls).toBe(2);
});

test("a factory of a class with arguments builds instances for rows without filling them", async () => {
  class Blog extends defineEntity({
    table: "Blogs",
    ...keys,
    properties: { token: counted },
    create: (): object => new Blog("cached"),
  }) {
    constructor(readonly label: string) {
      super();
    }
  }
  await using storage = await openStorage("memory:");
  await createTables(storage, [Blog]);
  await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "news", RowKey: "1" } });

  const found = await new TableContext(storage).find(Blog, key);

  expect(found).toMatchObject({ label: "cached", token: undefined });
  expect(calls).toBe(0);
  expect(fromPlain(Blog, key).token).toBe("1");
});

test("null is a value of JSON, which a default function leaves alone", () => {
  const properties = { extra: json<string[] | null>().default(() => ["made"]) };
  class Blog extends defineEntity({ table: "Blogs", ...keys, properties }) {}

  expect(new Blog({ ...key, extra: null }).extra).toBeNull();
  expect(new Blog(key).extra).toEqual(["made"]);
});

test("a default function that returns a promise is refused, with the property's name", () => {
  const properties = { token: text().default((async () => Promise.resolve("made")) as never) };
  class Blog extends defineEntity({ table: "Blogs", ...keys, properties }) {}

  expect(() => new Blog(key)).toThrow(
    expect.objectContaining({ code: "model.default", message: expect.stringContaining("token") as string }),
  );
});

test("the last default counts", () => {
  const properties = {
    first: text()
      .default(() => "made")
      .default("constant"),
    second: text()
      .default("constant")
      .default(() => "made"),
  };
  class Blog extends defineEntity({ table: "Blogs", ...keys, properties }) {}

  expect(new Blog(key)).toMatchObject({ first: "constant", second: "made" });
});
