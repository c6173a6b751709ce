import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createTables, defineEntity, openStorage, TableContext, text } from "@partita/core";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { main, published } from "./published.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
}) {}

test("a census of several tables counts those that there are, names the others, and ends with 1", async () => {
  await using folder = await temporaryFolder();
  const target = `file:${folder.file("tables.db")}`;
  await using storage = await openStorage(target);
  await createTables(storage, [Blog]);
  await using context = new TableContext(storage);
  context.create(Blog, { channel: "c", id: "1" });
  await context.saveChanges();
  await writeFile(
    folder.file("model.mjs"),
    `import { defineEntity, text } from ${JSON.stringify(published("core"))};
    const of = (table) => defineEntity({ table, partitionKey: { channel: text() }, rowKey: { id: text() }, properties: {} });
    export class Order extends of("Orders") {}
    export class Blog extends of("Blogs") {}`,
  );

  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [main, "census", folder.file("model.mjs"), target],
    { encoding: "utf8" },
  );

  expect(stderr).toMatch(/^Orders: /m);
  expect(stdout).toMatch(/Blogs\n.*1/);
  expect(status).toBe(1);
});
