import { open } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { run } from "../run.ts";

test("a badly damaged file is described in a few lines, and each command names the repair", async () => {
  await using folder = await temporaryFolder();
  const path = folder.file("tables.db");
  {
    await using storage = await openStorage(`file:${path}`);
    await storage.createTable("Blogs");
    for (let part = 0; part < 10; part++)
      await storage.transact(
        "Blogs",
        Array.from({ length: 100 }, (_, i) => ({
          type: "insert",
          entity: { PartitionKey: `p${part}`, RowKey: `r${i}`, text: "x".repeat(500) },
        })),
      );
  }
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(3 * 4096, 0xaa), 0, 3 * 4096, 5 * 4096);
  await file.close();

  const checked = await run("verify", path);
  const counted = await run("count", `file:${path}`, "Blogs");

  expect(checked).toMatchObject({ code: 1, errors: expect.stringMatching(/^and \d+ more lines$/m) });
  expect(checked.errors.split("\n").length).toBeLessThan(20);
  expect(counted).toMatchObject({
    code: 1,
    errors: expect.stringContaining("or copy its intact rows with partita verify --repair"),
  });
});
