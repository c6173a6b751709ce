/* oxlint-disable vitest/no-conditional-expect, vitest/expect-expect -- of two right ends, each has its own checks; helpers check too */
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineEntity, int32, openStorage, TableContext, type TableStorage, text } from "@partita/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { badTableNames, breakouts, prototypeNames } from "./corpus.ts";
import { expectOwn, expectTyped, failureOf, orTypedError, processState, typedError } from "./fake-service.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-hostile-"));
  path = join(folder, "tables.db");
});
afterEach(() => rm(folder, { recursive: true }));

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { n: int32().default(0) },
}) {}

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", n: 1 } });
}

const modeOf = async (name: string): Promise<number> => (await stat(join(folder, name))).mode & 0o777;

describe("files", () => {
  test.each([0o000, 0o002, 0o022, 0o077])("are their owner's alone, with a umask of %o", async (mask) => {
    const umask = process.umask(mask);
    try {
      await using storage = await openStorage(`file:${path}`);
      await fill(storage);

      for (const name of await readdir(folder)) expect([name, await modeOf(name)]).toEqual([name, 0o600]);
      expect(await readdir(folder)).toContain("tables.db-wal");
    } finally {
      process.umask(umask);
    }
  });

  test.each([0o777, 0o1777])("in a folder of mode %o are their owner's alone", async (mode) => {
    await chmod(folder, mode);
    await using storage = await openStorage(`file:${path}`);
    await fill(storage);

    for (const name of await readdir(folder)) expect(await modeOf(name)).toBe(0o600);
  });

  test("behind a symbolic link are opened and not replaced", async () => {
    await using own = await openStorage(`file:${path}`);
    await fill(own);
    await symlink(path, join(folder, "link.db"));

    await using linked = await openStorage(`file:${join(folder, "link.db")}`);

    expect((await linked.query("Things", {})).entities).toHaveLength(1);
    await linked.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "2" } });
    expect((await own.query("Things", {})).entities).toHaveLength(2);
    // SQLite keeps the journal beside the file itself, so that both see one.
    expect((await readdir(folder)).filter((name) => name.startsWith("link.db-"))).toEqual([]);
  });

  test("in a folder behind a symbolic link are found there", async () => {
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "linked"));
    {
      await using storage = await openStorage(`file:${join(folder, "linked", "x.db")}`);
      await fill(storage);
    }

    await using storage = await openStorage(`file:${join(folder, "real", "x.db")}`);
    expect((await storage.query("Things", {})).entities).toHaveLength(1);
  });

  test.each<[name: string, content: string | Buffer]>([
    ["text", "root:x:0:0:root:/root:/bin/sh\n"],
    ["two bytes", "xy"],
    ["zeros", Buffer.alloc(4096)],
    ["a database's first line", "SQLite format 3\0"],
    [
      "a database's first line and noise",
      Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4080, 0xa5)]),
    ],
    ["a script", "#!/bin/sh\nexit 0\n"],
    ["JSON", '{"PartitionKey":"p"}'],
  ])(
    "of %s are not overwritten, directly, through a symbolic link or another name",
    async (_name, content) => {
      const victim = join(folder, "victim");
      await writeFile(victim, content);
      await symlink(victim, join(folder, "soft.db"));
      await link(victim, join(folder, "hard.db"));

      for (const name of ["victim", "soft.db", "hard.db"])
        expectTyped(await typedError(() => openStorage(`file:${join(folder, name)}`)));
      expect(await readFile(victim)).toEqual(Buffer.from(content));
    },
  );

  test.each([
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "/",
    ".",
    "..",
    "/dev/null/x",
    `${"a/".repeat(3000)}x`,
    `x\0y`,
  ])("cannot be %j", async (name) => {
    expectOwn(await failureOf(() => openStorage(`file:${name}`)));
  });

  test("in a loop of symbolic links are refused", async () => {
    await symlink(join(folder, "b"), join(folder, "a"));
    await symlink(join(folder, "a"), join(folder, "b"));

    expect(await typedError(() => openStorage(`file:${join(folder, "a")}`))).toMatchObject({
      code: "storage.cannot-open",
    });
  });
});

test.each(badTableNames)("a table %j is no file and no statement", async (name) => {
  await using storage = await openStorage(`file:${path}`);
  await fill(storage);
  const files = await readdir(folder);

  for (const work of [
    () => storage.createTable(name),
    () => storage.deleteTable(name),
    () => storage.query(name, {}),
    () => storage.get(name, { partitionKey: "p", rowKey: "r" }),
    () => storage.write(name, { type: "insert", entity: { PartitionKey: "p", RowKey: "x" } }),
  ])
    expect(await typedError(work)).toMatchObject({ applied: "no" });

  expect(await readdir(folder)).toEqual(files);
  expect(await storage.listTables()).toEqual(["Things"]);
  expect((await storage.query("Things", {})).entities).toHaveLength(1);
});

test("names of devices and of its own tables are names like others", async () => {
  await using storage = await openStorage(`file:${path}`);
  const names = [
    "CON",
    "AUX",
    "NUL",
    "COM1",
    "rows1",
    "rows2",
    "versions",

    "select",
    "sqliteSchema",
    "tables2",
  ];
  for (const name of names) await storage.createTable(name);
  for (const name of names)
    await storage.write(name, { type: "insert", entity: { PartitionKey: "p", RowKey: name } });

  for (const name of names)
    expect((await storage.query(name, {})).entities).toMatchObject([{ RowKey: name }]);
  for (const name of names) await storage.deleteTable(name);
  expect(await storage.listTables()).toEqual([]);
  expect((await readdir(folder)).every((file) => file.startsWith("tables.db"))).toBe(true);
});

test.each(breakouts)("the text %j is stored and found as it is", async (value) => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: value, RowKey: value, value } });

  const { entities } = await storage.query("Things", {
    filter: { op: "eq", name: "PartitionKey", literal: { edm: "Edm.String", value } },
    top: 1,
  });

  expect(entities).toMatchObject([{ PartitionKey: value, RowKey: value, value }]);
});

test.each([
  "",
  "x",
  ":",
  "1:",
  "9999:x",
  "-1:x",
  "1e3:x",
  "2:x",
  "99999:x",
  "1:' OR 1=1 --",
  "0:\0",
  "NaN:",
  "__proto__",
])("the token %j skips no row and fails no statement", async (after) => {
  await using storage = await openStorage("memory:");
  await fill(storage);

  await orTypedError(() => storage.query("Things", { after: after as never }));
  expect((await storage.query("Things", {})).entities).toHaveLength(1);
});

test.each([
  0,
  -1,
  1.5,
  1001,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "1; DROP TABLE rows1",
  { valueOf: () => 1 },
])("a page of %j rows is refused", async (top) => {
  await using storage = await openStorage("memory:");
  await fill(storage);

  expect(await typedError(() => storage.query("Things", { top: top as number }))).toMatchObject({
    code: "storage.invalid-input",
  });
});

/** Rows that another program wrote into the file. */
const badRows: readonly string[] = [
  "",
  "null",
  "7",
  '"text"',
  "[]",
  "{",
  '{"n":{}}',
  '{"n":[1]}',
  '{"n":"text"}',
  '{"n":1e400}',
  '{"PartitionKey":"other","RowKey":"other","n":1}',
  '{"odata.etag":"*","Timestamp":"never","n":1}',
  '{"__proto__":{"polluted":1},"n":1}',
  '{"n@odata.type":{"toString":1},"n":1}',
  '{"n@odata.type":"Edm.Evil","n":1}',
  `{"n":1,"deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  `{"n":1,"deep":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`,
  ...prototypeNames.map((name) => `{"n":1,"${name}":"x"}`),
];

test.each(badRows.map((body) => [body.slice(0, 60), body]))(
  "a damaged row %j ends in a typed error, or is read",
  async (_shown, body) => {
    {
      await using storage = await openStorage(`file:${path}`);
      await fill(storage);
    }
    const database = new DatabaseSync(path);
    database.prepare("UPDATE rows1 SET body = ?").run(body);
    database.close();
    const before = processState();
    await using storage = await openStorage(`file:${path}`);

    const thing = await orTypedError(
      async () => (await new TableContext(storage).find(Thing, { p: "p", r: "r" })) as Thing,
    );

    if (thing !== undefined) {
      expect(thing).toBeInstanceOf(Thing);
      expect(thing).toMatchObject({ p: "p", r: "r" });
      expect(typeof thing.n).toBe("number");
    }
    await orTypedError(() =>
      storage.query("Things", { filter: { op: "gt", name: "n", literal: { edm: "Edm.Int32", value: 0 } } }),
    );
    await orTypedError(async () => {
      const context = new TableContext(storage);
      const found = (await context.find(Thing, { p: "p", r: "r" })) as Thing;
      found.n = 5;
      await context.saveChanges({ update: "replace" });
    });
    expect(processState()).toEqual(before);
  },
);

test.each<[name: string, sql: string]>([
  ["a later format", "PRAGMA user_version = 99"],
  ["another program", "PRAGMA application_id = 42"],
  ["no tables", "DROP TABLE table_names"],
  ["no version and no totals", "DROP TABLE state"],
  ["no index of keys", "DROP INDEX rows1_key"],
  ["no rows of a table", "DROP TABLE rows1"],
  ["a view for rows", "ALTER TABLE rows1 RENAME TO moved; CREATE VIEW rows1 AS SELECT * FROM moved"],
  ["rows without columns", "DROP TABLE rows1; CREATE TABLE rows1 (x)"],
  ["keys that are numbers", "UPDATE rows1 SET pk = 7, rk = 7"],
  ["keys that are bytes", "UPDATE rows1 SET pk = x'ff', rk = x'ff'"],
  ["a time that is text", "UPDATE rows1 SET ts = 'never'"],
  ["a time beyond dates", "UPDATE rows1 SET ts = 9223372036854775807"],
  ["a body that is bytes", "UPDATE rows1 SET body = x'ff00'"],
  ["a table number that is negative", "UPDATE table_names SET id = -1"],
  [
    "a trigger that fails",
    "CREATE TRIGGER evil BEFORE INSERT ON rows1 BEGIN SELECT RAISE(ABORT, 'canary'); END",
  ],
])("a file with %s ends in typed errors", async (_name, sql) => {
  {
    await using storage = await openStorage(`file:${path}`);
    await fill(storage);
  }
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();

  await orTypedError(async () => {
    // The clock does not reach a time beyond dates, however long a write waits for it.
    await using storage = await openStorage(`file:${path}`, { busyTimeoutMs: 100 });
    for (const work of [
      () => storage.listTables(),
      () => storage.query("Things", {}),
      () => storage.get("Things", { partitionKey: "p", rowKey: "r" }),
      () => storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "2" } }),
      () => storage.deleteTable("Things"),
    ])
      await orTypedError<unknown>(work);
  });
});
