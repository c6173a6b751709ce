import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { index } from "../../src/commands/index-command.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";
import { main, published } from "../published.ts";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text(), code: text() },
}) {}

/** Where processes keep compiled sources for those that come after them. */
let compiled: TemporaryFolder;
beforeAll(async () => {
  compiled = await temporaryFolder();
});
afterAll(() => compiled[Symbol.asyncDispose]());

let folder: TemporaryFolder;
let target = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  target = `file:${folder.file("notes.db")}`;
  await using storage = await openStorage(target);
  await createTables(storage, [Note]);
  await using context = new TableContext(storage);
  for (let id = 0; id < 5; id++)
    context.create(Note, { book: "b", id: `N${id}`, title: `title ${id}`, code: `code ${id % 4}` });
  await context.saveChanges();
});
afterEach(() => folder[Symbol.asyncDispose]());

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Calls the command with a module whose first index may be retired. */
async function partitaIndex(
  args: (module: string) => readonly string[],
  isRetired: boolean = false,
): Promise<Ended> {
  const module = folder.file(isRetired ? "retired.mjs" : "model.mjs");
  await writeFile(
    module,
    `import { defineEntity, text } from ${JSON.stringify(published("core"))};
    import { constant, verbatim } from ${JSON.stringify(published("core", "keys"))};
    export class Note extends defineEntity({
      table: "Notes",
      partitionKey: { book: text() },
      rowKey: { id: text() },
      properties: { title: text(), code: text() },
      indexes: {
        byTitle: { rowKey: { title: constant("TITLE:", verbatim) }${isRetired ? ', state: "retired"' : ""} },
        byCode: { rowKey: { code: constant("CODE:", verbatim) }, unique: true },
      },
    }) {}`,
  );
  return spawnSync(process.execPath, [main, "index", ...args(module)], {
    encoding: "utf8",
    env: { ...process.env, NODE_COMPILE_CACHE: compiled.file("code") },
  });
}

test("an index is built, verified, repaired and dropped by the command", async () => {
  const built = await partitaIndex((module) => ["build", module, target, "byTitle"]);
  expect(built).toMatchObject({ stderr: "", status: 0 });
  expect(built.stdout).toMatch(/Notes: 5 rows of byTitle written, 0 entities read again\n/);
  expect(built.stdout).toMatch(/byTitle is complete: queries use it from now on/);

  {
    await using storage = await openStorage(target);
    const key = { partitionKey: "b", rowKey: "TITLE:title 1_N1" };
    await storage.write("Notes", { type: "delete", key, etag: "*" });
  }
  const verified = await partitaIndex((module) => ["verify", module, target, "byTitle"]);
  expect(verified).toMatchObject({ stderr: "", status: 1 });
  expect(verified.stdout).toMatch(/1 {2}differences: 1 missing, 0 extra, 0 different; 0 repaired/);
  expect(verified.stdout).toMatch(/missing in byTitle: \("b", "N1"\)\n/);
  const repaired = await partitaIndex((module) => ["verify", module, target, "byTitle", "--repair"]);
  expect(repaired).toMatchObject({ stderr: "", status: 0 });
  expect(repaired.stdout).toMatch(/\("b", "N1"\), repaired/);

  const dropped = await partitaIndex((module) => ["drop", module, target, "byTitle"], true);
  expect(dropped).toMatchObject({ stderr: "", status: 0 });
  expect(dropped.stdout).toMatch(/Notes: 5 rows of byTitle deleted\nNo row of byTitle is left/);
});

test("values that are not unique end with 1 and are printed by the keys of their entities", async () => {
  const built = await partitaIndex((module) => ["build", module, target, "byCode"]);

  expect(built).toMatchObject({ stderr: "", status: 1 });
  expect(built.stdout).toMatch(/not unique in byCode, the same code: \("b", "N[04]"\), \("b", "N[04]"\)\n/);
  expect(built.stdout).toMatch(/byCode is not complete\. Change or delete the entities listed above/);
  expect(built.stdout).not.toContain("code 0");
});

test.each<[string, (module: string) => readonly string[], RegExp]>([
  ["an unknown index", (module) => ["build", module, target, "byTitel"], /Did you mean byTitle\?/],
  ["an index in use", (module) => ["drop", module, target, "byTitle"], /byTitle of Note is in use/],
])("%s is refused with what to do", async (_name, args, message) => {
  const ended = await partitaIndex(args);

  expect(ended.stderr).toMatch(message);
  expect(ended.status).toBe(1);
});

test.each<[readonly string[], RegExp]>([
  [["rebuild"], /unknown command 'rebuild'/],
  [["build", "model.js", "file:notes.db"], /partita index build: missing required argument 'index'/],
  [["build", "model.js", "file:notes.db", "byTitle", "--repair"], /unknown option '--repair'/],
  [["verify", "model.js", "file:notes.db", "--rate", "5"], /unknown option '--rate'/],
  [["drop", "model.js", "file:notes.db", "byTitle", "byCode"], /too many arguments/],
  [["verify", "model.js", "file:notes.db", "--fix"], /unknown option '--fix'/],
])("partita index %j is called wrongly, which is said", (args, message) => {
  expect(() => given(index, args)).toThrow(message);
  expect(() => given(index, args)).toThrow(UsageError);
});
