import { expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  json,
  odata,
  openStorage,
  type Predicate,
  type Query,
  TableContext,
  text,
} from "../../src/index.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), rating: int32(), tags: json<string[]>() },
}) {
  get headline(): string {
    return this.text;
  }
}

class Stamped extends defineEntity({
  table: "Stamped",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
  etagProperty: "version",
  timestampProperty: "savedOn",
}) {}
type AnyColumns = Record<string, { gt(value: unknown): Predicate }>;

const context = new TableContext(await openStorage("memory:"));
const blogs: Query<Blog> = context.query(Blog);
const stamped: Query<Stamped> = context.query(Stamped);

function errorOf(action: () => unknown): { code: string; message: string } {
  try {
    action();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("expected an error");
}

test("an operand that an operator drops out of sight is refused, naming its property", () => {
  const both = (a: Predicate, b: Predicate): Predicate => a && b;
  const error = errorOf(() => blogs.where((b) => both(b.channel.eq("x"), b.rating.eq(3))));

  expect(error.code).toBe("query.predicate-dropped");
  expect(error.message).toMatch(/condition on channel.*&& and \|\|/);
});

test("a predicate that was made and not returned is refused", () => {
  expect(errorOf(() => blogs.where((b) => (b.rating.eq(3), b.channel.eq("x")))).code).toBe(
    "query.predicate-dropped",
  );
  expect(
    errorOf(() => blogs.where((b) => (b.rating.eq(3).not(), b.channel.eq("x").or(b.text.eq("y"))))).code,
  ).toBe("query.predicate-dropped");
});

test.each([true, false, undefined, null, "x", {}, [true]])("%j is no predicate", (result) => {
  const error = errorOf(() => blogs.where(() => result as never));

  expect(error.code).toBe("query.not-a-predicate");
  expect(error.message).toMatch(/eq, ne, gt/);
});

test.each([undefined, null])("a comparison with %j is refused", (value) => {
  expect(errorOf(() => blogs.where((b) => b.channel.eq(value as never)))).toMatchObject({
    code: "query.undefined-value",
  });
  expect(errorOf(() => blogs.where({ channel: value as never })).message).toMatch(
    /Blog\.channel is compared with/,
  );
  expect(errorOf(() => blogs.where((b) => b.rating.in([1, value as never]))).code).toBe(
    "query.undefined-value",
  );
  expect(errorOf(() => blogs.where((b) => b.rating.between(1, value as never))).code).toBe(
    "query.undefined-value",
  );
});

test("a property that is not stored is refused, listing those that are", () => {
  const error = errorOf(() => blogs.where((b) => b.headline.eq("x")));

  expect(error.code).toBe("query.unknown-property");
  expect(error.message).toMatch(/"headline".*channel, id, text, rating, tags/);
});

test("a value of another type is refused when the query is planned", () => {
  expect(errorOf(() => blogs.where((b) => b.rating.eq("3" as never)).explain()).code).toBe(
    "query.wrong-type",
  );
  expect(errorOf(() => blogs.where((b) => b.channel.startsWith(3 as never))).code).toBe("query.wrong-type");
  const object = { toString: () => "1 or 1 eq 1" };
  expect(errorOf(() => blogs.where((b) => b.text.eq(object as never)).explain()).code).toBe(
    "query.wrong-type",
  );
});

test("JSON is not compared, and the error names the remedy", () => {
  const error = errorOf(() =>
    blogs.where((b) => (b.tags as never as { eq(v: unknown): never }).eq([])).explain(),
  );

  expect(error).toMatchObject({
    code: "query.not-comparable",
    details: { entity: "Blog", property: "tags" },
  });
  expect(error.message).toMatch(/Blog\.tags is stored as JSON.*Compare it after reading, or store/);
});

test("what receives ETag and Timestamp is neither compared nor selected, and the error names the remedy", () => {
  const compared = errorOf(() =>
    stamped.where((s) => (s as never as AnyColumns)["savedOn"]?.gt(new Date()) as never),
  );
  expect(compared).toMatchObject({
    code: "query.system-property",
    details: { entity: "Stamped", property: "savedOn", system: "Timestamp" },
  });
  expect(compared.message).toMatch(/Stamped\.savedOn receives the Timestamp.*filter\(odata`Timestamp ge/);
  expect(errorOf(() => stamped.where({ version: "x" } as never))).toMatchObject({
    code: "query.system-property",
    message: expect.stringMatching(/Stamped\.version receives the ETag.*Compare it after reading/) as string,
  });
  expect(errorOf(() => stamped.select("savedOn" as never))).toMatchObject({
    code: "query.system-property",
    message: expect.stringMatching(/comes with every row\. Leave it out of select\(\)/) as string,
  });
});

test("the remedy for Timestamp works", async () => {
  await using storage = await openStorage("memory:");
  await createTables(storage, [Stamped]);
  const writer = new TableContext(storage);
  writer.create(Stamped, { channel: "x", id: "1" });
  await writer.saveChanges();
  const query = new TableContext(storage).query(Stamped).where({ channel: "x" });

  expect(await query.filter(odata`Timestamp ge ${new Date(0)}`).count()).toBe(1);
  expect(await query.filter(odata`Timestamp lt ${new Date(0)}`).count()).toBe(0);
});

test("select takes names and no array of them", () => {
  const error = errorOf(() => blogs.select(["text"] as never));

  expect(error.code).toBe("query.select");
  expect(error.message).toMatch(/one by one.*got an array\. Spread the array: select\(\.\.\.names\)/);
  expect(errorOf(() => blogs.select(undefined as never)).code).toBe("query.select");
  expect(() => blogs.select(...(["text"] as const))).not.toThrow();
});

test("a scan must be asked for, and the error names what is missing", async () => {
  await expect(blogs.where((b) => b.rating.eq(3)).toArray()).rejects.toMatchObject({
    name: "ScanRefused",
    code: "query.scan-refused",
    message: expect.stringMatching(/Blog.*Blogs.*channel.*\.scan\(\)/) as string,
  });
  await expect(blogs.first()).rejects.toMatchObject({ code: "query.scan-refused" });
  await expect(blogs.count()).rejects.toMatchObject({ code: "query.scan-refused" });
  await expect(blogs.page({ size: 10 })).rejects.toMatchObject({ code: "query.scan-refused" });
});

test("sizes that are no sizes are refused", async () => {
  expect(errorOf(() => blogs.take(-1)).code).toBe("query.take");
  await expect(blogs.where({ channel: "x" }).page({ size: 0 })).rejects.toMatchObject({
    code: "query.option",
  });
});
