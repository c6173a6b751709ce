import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { main, published } from "../published.ts";

test("a comparison prints each difference once, with its rows and without values, and ends with 1", async () => {
  await using folder = await temporaryFolder();
  const target = `file:${folder.file("tables.db")}`;
  const storage = await openStorage(target);
  await storage.createTable("Blogs");
  for (const [RowKey, Rating] of Object.entries({ a: 1, b: "hunter2", c: "hunter3" }))
    await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "p", RowKey, Rating } });
  // A row of an index that this release does not know.
  const other = { PartitionKey: "p", RowKey: "x", _row: "index:byDay", Rating: "hunter4" };
  await storage.write("Blogs", { type: "insert", entity: other });
  await storage.close();
  await writeFile(
    folder.file("model.mjs"),
    `import { defineEntity, int32, text } from ${JSON.stringify(published("core"))};
    const keys = { partitionKey: { channel: text() }, rowKey: { id: text() } };
    export class Blog extends defineEntity({ table: "Blogs", ...keys, properties: { Rating: int32() } }) {}
    export class Note extends defineEntity({ table: "Notes", ...keys, properties: {} }) {}`,
  );

  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [main, "diff", folder.file("model.mjs"), target, "--json"],
    { encoding: "utf8" },
  );

  expect(JSON.parse(stdout)).toMatchObject({
    table: "Blogs",
    code: "edm.mismatch",
    rows: 2,
    first: { partitionKey: "p", rowKey: "b" },
  });
  expect(stdout + stderr).not.toContain("hunter");
  expect(stderr).toContain("Notes: the table does not exist.");
  expect(stderr).toContain("Blogs: 3 rows, 1 difference.");
  expect(status).toBe(1);
});

test("a table that is missing is a difference", async () => {
  await using folder = await temporaryFolder();
  const target = `file:${folder.file("empty.db")}`;
  await (await openStorage(target)).close();
  await writeFile(
    folder.file("model.mjs"),
    `import { defineEntity, text } from ${JSON.stringify(published("core"))};
    const keys = { partitionKey: { channel: text() }, rowKey: { id: text() } };
    export class Note extends defineEntity({ table: "Notes", ...keys, properties: {} }) {}`,
  );

  const { stderr, status } = spawnSync(process.execPath, [main, "diff", folder.file("model.mjs"), target], {
    encoding: "utf8",
  });

  expect(stderr).toBe("Notes: the table does not exist.\n");
  expect(status).toBe(1);
});
