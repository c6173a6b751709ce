import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { openStorage } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterEach, beforeEach, expect, test } from "vitest";
import { main } from "../published.ts";

let folder: TemporaryFolder;
let path = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  path = folder.file("tables.db");
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Blogs");
  await storage.transact(
    "Blogs",
    Array.from({ length: 20 }, (_, i) => ({
      type: "insert",
      entity: { PartitionKey: "c", RowKey: `r${i}`, text: "a value that is not printed" },
    })),
  );
});
afterEach(() => folder[Symbol.asyncDispose]());

function verify(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [main, "verify", ...args], {
    encoding: "utf8",
  });
}

test("a sound file ends with 0 and its rows, while it is open elsewhere too", async () => {
  await using storage = await openStorage(`file:${path}`);
  await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "c", RowKey: "more" } });

  for (const target of [path, `file:${path}`, pathToFileURL(path).href]) {
    const { stdout, stderr, status } = verify(target);

    expect(stdout).toMatch(/^ {10}21 {2}rows in Blogs\n.*tables\.db is sound\.\n$/);
    expect(stderr).toBe("");
    expect(status).toBe(0);
  }
});

test("a damaged file ends with 1 and a line for each finding, with keys and without values", () => {
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE rows1 SET body = replace(body, 'value', 'VALUE') WHERE rk = 'r7'");
  raw.exec("DELETE FROM rows1 WHERE rk = 'r8'");
  raw.close();

  const { stdout, stderr, status } = verify(path);

  expect(stderr).toMatch(/^row: Blogs \("c", "r7"\): The row differs from what was written/m);
  expect(stderr).toMatch(/^totals: Blogs: There are 19 rows, but 20 were written\./m);
  expect(stderr).toMatch(/tables\.db is damaged\. Restore it from a backup/);
  expect(stdout + stderr).not.toMatch(/is not printed/);
  expect(status).toBe(1);
});

test("--repair copies what is sound into a new file, prints what is lost, and leaves the damaged file as it is", async () => {
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE rows1 SET body = replace(body, 'value', 'VALUE') WHERE rk = 'r7'");
  raw.close();
  const before = await readFile(path);
  const newPath = folder.file("new.db");

  const { stdout, stderr, status } = verify(path, "--repair", newPath);
  const again = verify(path, "--repair", newPath);
  const sound = verify(newPath, "--repair", folder.file("other.db"));

  expect(stderr).toMatch(/^lost: Blogs \("c", "r7"\): The row differs from what was written/m);
  expect(stdout).toMatch(/new\.db has what is sound:\n {10}19 of 20 {2}rows in Blogs\n1 row is lost\.\n$/);
  expect(stdout + stderr).not.toMatch(/is not printed/);
  expect(status).toBe(1);
  expect(await readFile(path)).toEqual(before);
  expect(again.stderr).toMatch(/new\.db exists/);
  expect(again.status).toBe(1);
  expect(sound.stdout).toMatch(/new\.db is sound\.\n$/);
  expect(sound.status).toBe(0);
  await expect(readFile(folder.file("other.db"))).rejects.toThrow("ENOENT");
});

test("--repair reads a file that was cut", async () => {
  await truncate(path, 4 * 4096);

  const { stdout, stderr, status } = verify(path, "--repair", folder.file("new.db"));

  expect(stderr).toMatch(/^.*tables\.db is damaged\./);
  expect(stdout).toMatch(/has what is sound:/);
  expect(status).toBe(1);
});

test("a file that is not there is not made, and another program's is refused", async () => {
  const none = verify(folder.file("none.db"));
  await writeFile(folder.file("text.db"), "a letter\n".repeat(1000));
  const letter = verify(folder.file("text.db"));
  const noFile = verify();

  expect(none.stderr).toMatch(/^There is no .*none\.db\.\n$/);
  expect(none.status).toBe(2);
  await expect(readFile(folder.file("none.db"))).rejects.toThrow("ENOENT");
  expect(letter.stderr).toMatch(/is not a database of this library/);
  expect(letter.status).toBe(1);
  expect(noFile.stderr).toMatch(/missing required argument 'file'/);
  expect(noFile.status).toBe(2);
});
