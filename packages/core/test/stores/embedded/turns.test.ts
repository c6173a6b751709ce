import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStorage } from "../../../src/index.ts";
import type { StoredPage } from "../../../src/storage.ts";
import { insert } from "./things.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

// oxlint-disable-next-line typescript/unbound-method -- called with a database of its own
const { exec } = DatabaseSync.prototype;

test("a page that is read as soon as a write has begun, after it waited for another process, is the page", async () => {
  const path = join(folder, "turns.db");
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Things");
  await storage.transact(
    "Things",
    Array.from({ length: 50 }, (_, i) => insert({}, `r${i}`)),
  );
  // Reads begin at once as long as the event loop is not late.
  vi.spyOn(performance, "now").mockReturnValue(1);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const pages: Promise<StoredPage>[] = [];
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql: string) {
    try {
      exec.call(this, sql);
    } catch (error) {
      // The first try finds the file locked, and the next one does not.
      if (other.isTransaction) exec.call(other, "ROLLBACK");
      throw error;
    }
    if (sql === "BEGIN IMMEDIATE") queueMicrotask(() => pages.push(storage.query("Things", {})));
  });

  await storage.write("Things", insert({}, "late"));

  expect(pages.length).toBeGreaterThan(0);
  for (const { entities } of await Promise.all(pages)) expect(entities.length).toBeGreaterThanOrEqual(50);
  other.close();
});
