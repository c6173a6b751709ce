import { spawnSync } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";

const packages = join(import.meta.dirname, "../../..");
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const model = `
import { defineEntity, text } from "@partita/core";

export class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text() },
}) {}
`;

const fill = `
import { createTables, openStorage, TableContext } from "@partita/core";
import { Note } from "./model.js";

const storage = await openStorage(process.argv[2]);
await createTables(storage, [Note]);
const context = new TableContext(storage);
context.create(Note, { book: "b", id: "1", title: "t" });
await context.saveChanges();
await storage.close();
`;

test("a census works with the core of the module, where the command has another", async () => {
  const own = folder.file("node_modules/@partita/core");
  await mkdir(own, { recursive: true });
  await cp(join(packages, "core/dist"), join(own, "dist"), { recursive: true });
  await cp(join(packages, "core/package.json"), join(own, "package.json"));
  await writeFile(folder.file("package.json"), '{ "type": "module" }');
  await writeFile(folder.file("model.js"), model);
  await writeFile(folder.file("fill.js"), fill);
  const storage = `file:${folder.file("notes.db")}`;
  const filled = spawnSync(process.execPath, [folder.file("fill.js"), storage], { encoding: "utf8" });
  expect(filled.stderr).toBe("");

  const command = join(packages, "cli/dist/main.js");
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [command, "census", folder.file("model.js"), storage],
    { encoding: "utf8" },
  );

  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Notes\n\s+1 {2}.*\n\s+1 with title String\n$/);
  expect(status).toBe(0);
});

test("a program can run the command itself", async () => {
  const command = pathToFileURL(join(packages, "cli/dist/index.js")).href;
  const program = `
    import { runCommand } from ${JSON.stringify(command)};
    const codes = [await runCommand(["--version"]), await runCommand(["census"]), await runCommand(["census", "none.js", "memory:"])];
    console.log(codes.join(" "));
  `;
  await writeFile(folder.file("program.mjs"), program);

  const { stdout } = spawnSync(process.execPath, [folder.file("program.mjs")], { encoding: "utf8" });

  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n0 2 2\n$/);
});
