/* oxlint-disable vitest/no-conditional-expect -- of two right ends, each has its own checks */
import {
  createTables,
  defineEntity,
  int32,
  KeyError,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { WriteOperation } from "@partita/core/storage";
import { modelOf } from "@partita/core/models";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTableServer, type TableServer } from "@partita/server";
import { badKeys, badTableNames, breakouts, oddValues, prototypeNames } from "./corpus.ts";
import { answering, failureOf, typedError } from "./fake-service.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { tenant: text() },
  rowKey: { folder: text(), id: text() },
  properties: { rank: int32().default(0) },
}) {}

let server: TableServer;
let storage: TableStorage;
beforeAll(async () => {
  server = await startTableServer();
  storage = await openStorage(server.connectionString);
  await createTables(storage, [Note]);
});
afterAll(async () => {
  await storage.close();
  await server.close();
});

test.each(badKeys.map((key) => [JSON.stringify(key).slice(0, 40), key]))(
  "no key is %s: nothing is sent, and the property is named, not the value",
  async (_shown, key) => {
    let requests = 0;
    const watched = await answering((_request, response) => (requests++, response.writeHead(500).end()));
    const context = new TableContext(watched);
    const hidden = `canary${key}canary`;

    for (const [part, entity] of [
      ["tenant", { tenant: hidden, folder: "f", id: "1" }],
      ["folder", { tenant: "t", folder: hidden, id: "1" }],
      ["id", { tenant: "t", folder: "f", id: hidden }],
    ] as const) {
      const error = await typedError(async () => {
        context.create(Note, entity);
        await context.saveChanges();
      });
      expect(error.message).not.toContain("canary");
      // A whole key that is too long is no single part's fault.
      if (key.length <= 500) expect(error.message).toContain(part);
      expect(await typedError(() => context.find(Note, entity))).toBeInstanceOf(KeyError);
      context.clear();
    }
    expect(requests).toBe(0);
  },
);

test.each(badKeys.map((key) => [JSON.stringify(key).slice(0, 40), key]))(
  "a store refuses a row under %s, too",
  async (_shown, key) => {
    for (const entity of [
      { PartitionKey: key, RowKey: "r" },
      { PartitionKey: "p", RowKey: key },
    ])
      for (const operation of [
        { type: "insert", entity },
        { type: "upsert-merge", entity },
      ] as const satisfies WriteOperation[])
        expect(await typedError(() => storage.write("Notes", operation))).toMatchObject({ applied: "no" });
    expect((await storage.query("Notes", { top: 1 })).entities).toEqual([]);
  },
);

test.each(oddValues)("%s is no part of a key", async (_name, value) => {
  const context = new TableContext(storage);
  const key = { tenant: value as string, folder: "f", id: "1" };

  expect(await typedError(() => context.find(Note, key))).toBeInstanceOf(KeyError);
  await typedError(async () => {
    context.create(Note, key);
    await context.saveChanges();
  });
});

test.each(breakouts)("the key %j names its own row and no other", async (key) => {
  await using context = new TableContext(storage);
  const own = { tenant: key, folder: "f", id: key };
  context.create(Note, { ...own, rank: 1 });
  context.create(Note, { tenant: key, folder: "f", id: `${key}2`, rank: 2 });
  await context.saveChanges();

  const fresh = new TableContext(storage);
  expect(await fresh.find(Note, own)).toMatchObject({ ...own, rank: 1 });
  const found = await fresh.find(Note, own);
  if (found !== undefined) fresh.remove(found);
  await fresh.saveChanges();
  const left = await new TableContext(storage).query(Note).where({ tenant: key }).toArray();
  expect(left).toMatchObject([{ id: `${key}2`, rank: 2 }]);
  await storage.write("Notes", {
    type: "delete",
    key: { partitionKey: key, rowKey: `f_${key}2` },
    etag: "*",
  });
  expect((await storage.query("Notes", {})).entities).toEqual([]);
});

test.each(badTableNames)("%j is no table", async (table) => {
  let requests = 0;
  const watched = await answering((_request, response) => (requests++, response.writeHead(500).end()));
  const insert: WriteOperation = { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } };

  for (const work of [
    () => watched.query(table, {}),
    () => watched.get(table, { partitionKey: "p", rowKey: "r" }),
    () => watched.write(table, insert),
    () => watched.transact(table, [insert]),
    () => watched.createTable(table),
    () => watched.deleteTable(table),
  ])
    expect(await typedError(work)).toMatchObject({ code: "storage.invalid-resource-name", applied: "no" });
  expect(requests).toBe(0);

  const entity = defineEntity({ ...keys, table, properties: {} });
  expect(await failureOf(() => modelOf(entity))).toMatchObject({ code: "model.table-name" });
});

const keys = { partitionKey: { tenant: text() }, rowKey: { id: text() } } as const;

test.each(prototypeNames)("a property named %s does not touch the class", async (name) => {
  const build = (): unknown =>
    modelOf(defineEntity({ table: "Things", ...keys, properties: { [name]: text() } }));
  const isTaken = name in Object.prototype || ["prototype", "then", "toJSON"].includes(name);

  // A literal `__proto__` would be no property at all, so that nobody would notice.
  if (isTaken) expect(await typedError(build)).toMatchObject({ code: "model.reserved-name" });
  else expect(build()).toMatchObject({ properties: [{ name }] });
  const stored = (): unknown =>
    modelOf(defineEntity({ table: "Things", ...keys, properties: { safe: text().named(name) } }));
  if (isTaken) expect(await typedError(stored)).toMatchObject({ code: "model.property-name" });
});
