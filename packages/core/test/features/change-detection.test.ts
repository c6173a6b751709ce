import { describe, expect, test } from "vitest";
import {
  convert,
  createTables,
  dateTime,
  defineEntity,
  double,
  int64,
  json,
  openStorage,
  type SaveError,
  TableContext,
  type TableStorage,
  text,
  Ticks,
} from "../../src/index.ts";
import type { StoredEntity } from "../../src/storage.ts";

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: {
    name: text().default("n"),
    needed: text(),
    value: json<unknown>().optional(),
    reversed: convert<string>({
      toText: (s) => Array.from(s).reverse().join(""),
      fromText: (s) => Array.from(s).reverse().join(""),
    }).optional(),
    link: convert<URL>({ toText: (url) => url.href, fromText: (t) => new URL(t) }).optional(),
    big: int64().optional(),
    weight: double().optional(),
    exact: dateTime({ ticks: true }).default(Ticks.parse("2000-01-01T00:00:00.0000001Z")),
  },
}) {}

async function read(row: object): Promise<{ storage: TableStorage; context: TableContext; thing: Thing }> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  await storage.write("Things", {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "r", needed: "x", ...row },
  });
  const context = new TableContext(storage);
  return { storage, context, thing: (await context.find(Thing, { p: "p", r: "r" })) as Thing };
}

const row = async (storage: TableStorage): Promise<StoredEntity> =>
  (await storage.get("Things", { partitionKey: "p", rowKey: "r" })) as StoredEntity;

describe("reading changes nothing", () => {
  test.each<[string, object]>([
    ["JSON null", { value: "null" }],
    ["JSON with spaces", { value: '{ "a": 1 }' }],
    ["text a converter reads as another text", { link: "https://example.com" }],
    ["a date of 7 digits", { "exact@odata.type": "Edm.DateTime", exact: "2013-08-02T17:37:43.9004348Z" }],
    ["an absent default that is an object", {}],
  ])("%s", async (_name, stored) => {
    const { context, thing } = await read(stored);

    expect(context.entry(thing).state).toBe("unchanged");
    expect(await context.saveChanges()).toEqual([]);
  });
});

describe("a value that looks like its own stored form is a change", () => {
  test.each<[string, object, Partial<Thing>, object]>([
    ["a JSON string of a number's text", { value: "5" }, { value: "5" }, { value: '"5"' }],
    [
      "a JSON string of an object's text",
      { value: '{"a":1}' },
      { value: '{"a":1}' },
      { value: '"{\\"a\\":1}"' },
    ],
    ["a converted text", { reversed: "ab" }, { reversed: "ab" }, { reversed: "ba" }],
    ["minus zero", { "weight@odata.type": "Edm.Double", weight: 0 }, { weight: -0 }, { weight: "-0.0" }],
  ])("%s", async (_name, stored, change, expected) => {
    const { storage, context, thing } = await read(stored);
    Object.assign(thing, change);

    await context.saveChanges();

    expect(await row(storage)).toMatchObject(expected);
  });

  test("text in place of a bigint is refused, even if it is the stored text", async () => {
    const { context, thing } = await read({ "big@odata.type": "Edm.Int64", big: "5" });
    thing.big = "5" as never;

    await expect(context.saveChanges()).rejects.toMatchObject({ code: "save.invalid" });
  });
});

test("a required property cannot be cleared", async () => {
  const { storage, context, thing } = await read({});
  thing.needed = undefined as never;

  const error = await context.saveChanges().catch((e: SaveError) => e);

  expect((error as SaveError).results[0]?.error).toMatchObject({ code: "property.required" });
  expect((await row(storage))["needed"]).toBe("x");
});

test("an entity that is removed and added again replaces its row and keeps what the class does not know", async () => {
  const { storage, context, thing } = await read({ name: "old", Legacy: "kept" });
  context.remove(thing);
  context.add(thing);
  expect(context.entry(thing).state).toBe("modified");
  thing.value = 1;

  const [result] = await context.saveChanges();

  expect(result?.operation).toBe("replace");
  expect(await row(storage)).toMatchObject({ Legacy: "kept", name: "old", value: "1" });
  expect(context.entry(thing).state).toBe("unchanged");
});

test("an entity that is removed while its insert is on the way is removed by the next save", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  const context = new TableContext(storage);
  const thing = context.create(Thing, { p: "p", r: "r", needed: "x" });
  const running = context.saveChanges();
  await new Promise((resolve) => setImmediate(resolve));
  context.remove(thing);
  await running;

  await context.saveChanges();

  expect(await storage.get("Things", { partitionKey: "p", rowKey: "r" })).toBeUndefined();
  expect(context.entry(thing).state).toBe("detached");
});

test("stored text that is no JSON is told without being quoted", async () => {
  const storage = await openStorage("memory:");
  await createTables(storage, [Thing]);
  await storage.write("Things", {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "r", needed: "x", value: "hunter2 secret" },
  });

  const error = await new TableContext(storage).find(Thing, { p: "p", r: "r" }).catch((e: Error) => e);

  expect(error).toMatchObject({ code: "edm.malformed" });
  expect(String((error as Error).stack) + String((error as Error).cause)).not.toContain("hunter2");
});

test("groups that were not sent after a failure say so", async () => {
  const { storage } = await read({});
  const context = new TableContext(storage);
  context.create(Thing, { p: "p", r: "r", needed: "x" });
  context.create(Thing, { p: "q", r: "r", needed: "x" });

  const error = (await context
    .saveChanges({ continueOnError: false, concurrency: 1 })
    .catch((e: SaveError) => e)) as SaveError;

  expect(error.results.map((r) => [r.outcome, r.attempts, r.aborted])).toEqual([
    ["rejected", 1, undefined],
    ["rejected", 0, undefined],
  ]);
  expect(error.message).toMatch(/Not sent: an earlier group/);
});
