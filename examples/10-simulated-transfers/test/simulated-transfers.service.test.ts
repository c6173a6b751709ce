import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("finds both planted bugs, prints their shortest histories, and accepts the right transfer", () => {
  const main = join(import.meta.dirname, "../dist/main.js");

  const { stdout, stderr, status } = spawnSync(process.execPath, [main, "100"], { encoding: "utf8" });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const [, twoSaves = "", byUpsert = "", right = ""] = stdout.split(
    /^In two saves|^By upsert|^In one transaction/m,
  );
  expect(twoSaves).toMatch(/Seed \d+: invariant of Account: partition "bank": there is 290 in place of 300/);
  expect(historyOf(twoSaves)).toEqual(["get", "get", "merge"]);
  // Two who read the same account before either of them writes it.
  expect(byUpsert).toMatch(/there is (?:290|310) in place of 300/);
  expect(historyOf(byUpsert)).toEqual(["get", "get", "get", "get", "transaction", "transaction"]);
  expect(right).toMatch(
    /Nothing found in 100 runs\.\n\d{2,} of \d+ requests failed, and \d{2,} writes arrived late\./,
  );
});

/** The requests of a printed history, by name. */
const historyOf = (printed: string): string[] =>
  Array.from(
    printed.matchAll(/^ +[\d.]+ s {2}clerk \d {2}\d+\. (\w+)/gm),
    ([, type = ""]) => type,
  ).toSorted();
