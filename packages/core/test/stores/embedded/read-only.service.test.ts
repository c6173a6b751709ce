import { spawnSync } from "node:child_process";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { expect, test } from "vitest";
import { openStorage } from "../../../src/index.ts";
import { insert } from "./things.ts";

const inFolder = folderOfEachTest();

// SQLite would create a log that belongs to the reader, and the file's owner could not write any more.
test("a reader of a file that it may not write leaves no files, even if it may write to the folder", async () => {
  const path = inFolder("a.db");
  const writer = await openStorage(`file:${path}`);
  await writer.createTable("Things");
  await writer.write("Things", insert({}, "a"));
  await writer.close();
  await chmod(path, 0o444);
  await chmod(inFolder(), 0o777);
  const reader = join(import.meta.dirname, "reader-process.ts");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--no-warnings", "--conditions=@partita/source", reader, path],
    { encoding: "utf8" },
  );

  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(["a", "storage.read-only"]);
  expect(await readdir(inFolder())).toEqual(["a.db"]);
  await chmod(path, 0o600);
  await using again = await openStorage(`file:${path}`);
  await again.write("Things", insert({}, "b"));
});
