import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { padded } from "@partita/core/keys";
import { afterEach, beforeEach, expect, test } from "vitest";

class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: padded(3) },
  properties: { title: text() },
}) {}

const core = join(import.meta.dirname, "../../../core/src");
const main = join(import.meta.dirname, "../../src/main.ts");

let folder: TemporaryFolder;
let target = "";
let module = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  target = `file:${folder.file("notes.db")}`;
  module = folder.file("model.mjs");
  await using storage = await openStorage(target);
  await createTables(storage, [Note]);
  await using context = new TableContext(storage);
  for (let id = 0; id < 5; id++) context.create(Note, { book: "b", id, title: `title ${id}` });
  await context.saveChanges();
  await writeFile(
    module,
    `import { defineEntity, text } from ${JSON.stringify(join(core, "index.ts"))};
    import { constant, padded } from ${JSON.stringify(join(core, "keys.ts"))};
    const own = { table: "Notes", properties: { title: text() } };
    export class Note extends defineEntity({ ...own, partitionKey: { book: text() }, rowKey: { id: padded(3) } }) {}
    export class WideNote extends defineEntity({
      ...own, partitionKey: { book: text() }, rowKey: { of: constant("NOTE"), id: padded(6) }, formerKeys: Note,
    }) {}
    export const odd = ({ book, id }) => ({ book, id: 2 * id + 1 });`,
  );
});
afterEach(() => folder[Symbol.asyncDispose]());

function moveRows(...args: readonly string[]) {
  const all = ["--conditions=@partita/source", main, "move-rows", module, target, ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, all, { encoding: "utf8" });
  return { stdout, stderr, status };
}

async function keys(): Promise<string[]> {
  await using storage = await openStorage(target);
  return (await storage.query("Notes", {})).entities.map(({ RowKey }) => RowKey);
}

test("counts, and then moves the rows of a class", async () => {
  const counted = moveRows("--from", "Note", "--to", "WideNote", "--dry-run");

  expect(counted).toMatchObject({ status: 0, stdout: "Notes: 5 rows would be moved\n" });
  expect(await keys()).toEqual(["000", "001", "002", "003", "004"]);

  const moved = moveRows("--from", "Note", "--to", "WideNote");

  expect(moved.stdout.split("\n")).toEqual([
    "Notes: 5 rows moved",
    "Notes has no rows under former keys. Remove formerKeys from WideNote.",
    "",
  ]);
  expect(moved.status).toBe(0);
  expect(await keys()).toEqual(Array.from({ length: 5 }, (_, id) => `NOTE_00000${id}`));
});

test("takes the new keys from an exported function, and says what is missing", async () => {
  expect(moveRows("--from", "Note", "--to", "WideNote", "--key", "odd").status).toBe(0);
  expect(await keys()).toEqual(["1", "3", "5", "7", "9"].map((id) => `NOTE_00000${id}`));

  const [unnamed, unknown] = [moveRows("--from", "Note"), moveRows("--from", "Note", "--to", "None")];
  expect(unnamed.stderr).toMatch(/--from <class> --to <class>/);
  expect(unknown.stderr).toMatch(/It exports Note, WideNote/);
  expect([unnamed.status, unknown.status].every((status) => status !== 0)).toBe(true);
});
