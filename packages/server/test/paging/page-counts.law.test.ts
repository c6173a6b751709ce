import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { expect, test } from "vitest";
import { checkPages, checkStoredPages, fill } from "./page-counts.ts";

// n rows by pages of k are max(1, n / k) pages, rounded up: a page that ends with the last row names no next one.

test.each(["memory", "file"])("n rows are as many pages as they need, and no more: %s", async (kind) => {
  const folder = await mkdtemp(join(tmpdir(), "partita-pages-"));
  try {
    await using storage = await openStorage(
      kind === "memory" ? "memory:" : `file:${join(folder, "pages.db")}`,
      {
        durability: "normal",
      },
    );
    await fill(storage);

    expect(await checkStoredPages(storage)).toBe(100);
    expect(await checkPages(storage)).toBe(800);
  } finally {
    await rm(folder, { recursive: true });
  }
});
