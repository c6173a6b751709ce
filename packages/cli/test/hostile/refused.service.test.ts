import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandFolder, numbers } from "./command-folder.ts";

// Input, storages, modules and disks that a command cannot use: it ends with a sentence and the code of the guide, and no
// row is lost.

const { pathOf, all, start, partita, rowsOf } = commandFolder(8000);

describe("a disk that is full is a sentence", () => {
  test.each([
    ["query", "file:tables.db", "Rows", "--scan"],
    ["export", "file:tables.db", "Rows"],
    ["backup", "file:tables.db", "-"],
    ["completions", "bash"],
  ])("%s", async (...args) => {
    expect(await start(args, { out: "/dev/full" }).ended).toMatchObject({
      code: 1,
      errors: "The disk is full. Free some space, and run the command again.\n",
    });
  });
});

test.each([
  [100, /does not start|is damaged/],
  [
    200_000,
    /^cut\.backup is damaged: its end is missing, so it was truncated or never finished\. Use another backup\.\n$/,
  ],
])("a backup that was cut after %i bytes is refused before anything is written", async (length, message) => {
  writeFileSync(pathOf("cut.backup"), readFileSync(pathOf("rows.backup")));
  truncateSync(pathOf("cut.backup"), length);

  const { code, errors } = await partita("restore", "file:new.db", "cut.backup");

  expect(errors).toMatch(message);
  expect(code).toBe(1);
  expect(existsSync(pathOf("new.db"))).toBe(false);
});

test("a file that is not UTF-8 is refused at its line", async () => {
  writeFileSync(
    pathOf("latin.jsonl"),
    Buffer.from('{"PartitionKey":"a","RowKey":"1","t":"\xe9"}\n', "latin1"),
  );

  expect(
    await partita("import", "file:tables.db", "Rows", "latin.jsonl", "--existing", "replace"),
  ).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /^transfer\.text: The file cannot be read from line 1 on: it is not UTF-8\./,
    ),
  });
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});

test.each([
  [
    "nonsense-secret",
    /^The environment variable PARTITA_STORAGE does not contain a storage, such as file:path\.db/,
  ],
  ["env:PARTITA_STORAGE", /^The environment variable PARTITA_STORAGE does not contain a storage, /],
  ["what:is-this-secret", /^storage\.unknown-target: /],
  ["file:none.db", /^There is no none\.db\.\n$/],
])("PARTITA_STORAGE=%s is refused without its value", async (value, message) => {
  const { code, errors } = await start(["count", "Rows"], { env: { PARTITA_STORAGE: value } }).ended;

  expect(errors).toMatch(message);
  expect(errors).not.toContain("secret");
  expect(code).toBe(2);
});

test.each([
  [
    "throw new TypeError('x is no function');",
    /^bad\.mjs threw TypeError while it was loaded: x is no function\n$/,
  ],
  ["throw 'secret';", /^bad\.mjs threw string while it was loaded\.\n$/],
  [
    "await new Promise(() => {});",
    /^bad\.mjs never ends loading: it awaits a promise that nothing settles\.\n$/,
  ],
  ["import './none.mjs';", /^Cannot find module .*none\.mjs' imported from .*bad\.mjs\n$/],
  ["export const a = 1;", /^bad\.mjs exports no entity classes\./],
  ["export const a = ;", /^Node cannot run bad\.mjs, or a module that it imports: /],
])("a module with %j is a sentence", async (source, message) => {
  writeFileSync(pathOf("bad.mjs"), source);

  const { code, errors } = await partita("census", "bad.mjs", "file:tables.db");

  expect(errors).toMatch(message);
  expect(code).toBe(1);
});

test("a table is found under its name in any case, and keys may start with a hyphen", async () => {
  const row = '{"PartitionKey":"-a","RowKey":"--force"}';

  expect(await partita("put", "file:tables.db", "rOWS", row)).toMatchObject({ code: 0 });
  expect(await partita("get", "file:tables.db", "ROWS", "--", "-a", "--force")).toMatchObject({ code: 0 });
  expect(await partita("rm", "file:tables.db", "ROWS", "-a", "--force")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("unknown option '-a'"),
  });
  expect(await partita("rm", "file:tables.db", "ROWS", "--force", "--", "-a", "--force")).toMatchObject({
    code: 0,
  });
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});

test.each([
  ["text", "not a database", 16, /^storage\.not-a-database: tables\.db is not a database/],
  ["the first half of a database", undefined, 100_000, /^storage\.damaged: tables\.db is damaged\./],
])("a storage that is %s is refused and not changed", async (_what, content, length, message) => {
  if (content !== undefined) writeFileSync(pathOf("tables.db"), content);
  else truncateSync(pathOf("tables.db"), length);
  const before = readFileSync(pathOf("tables.db"));

  for (const args of [["tables"], ["count"], ["put"], ["import"]]) {
    const rest = {
      count: ["Rows"],
      put: ["Rows", '{"PartitionKey":"a","RowKey":"1"}'],
      import: ["Rows", "rows.jsonl", "--existing", "replace"],
    };
    const [command = ""] = args;
    const { code, errors } = await partita(command, "file:tables.db", ...(rest[command as "put"] ?? []));
    expect(errors).toMatch(message);
    expect(code).toBe(1);
  }
  expect(readFileSync(pathOf("tables.db")).equals(before)).toBe(true);
});

test.each([
  [["export", "file:tables.db", "Rows", "-o", "tables.db", "--force"]],
  [["backup", "file:tables.db", "tables.db", "--force"]],
  [["generate", "file:tables.db", "-o", "tables.db", "--force"]],
  [["copy", "file:tables.db", "file:tables.db", "Rows"]],
  [["copy", "file:tables.db", "file:./tables.db", "Rows"]],
  [["export", "file:tables.db", "Rows", "-o", "."]],
])("%j, whose output is its input or a folder, is refused", async (args) => {
  const { code, errors } = await partita(...args);

  expect(errors).toMatch(/is never replaced|onto itself|is a folder/);
  expect(code).toBe(2);
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});
