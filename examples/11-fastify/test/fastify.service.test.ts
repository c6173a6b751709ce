import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("pages follow each other by tokens, and changes need the ETag that was read", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "POST cup: 201",
    "POST pot: 201",
    "POST tea: 201",
    'POST tea again: 409 {"error":"exists"}',
    "Page: cup, pot",
    "Page: tea",
    'A token that is none: 400 {"error":"query.foreign-token"}',
    "PUT without If-Match: 428",
    "PUT with the ETag that was read: 204",
    "PUT with the same ETag once more: 412",
    "POST with a price that is no number: 400",
  ]);
});
