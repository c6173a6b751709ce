import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../bench/src/run/results-file.ts";
import { workspace } from "../src/workspace.ts";

const { rows } = readResults(join(workspace, "docs/benchmarks/results.json"));
const home = readFileSync(join(workspace, "docs/index.md"), "utf8");

test.each([
  ["page over HTTP", "Partita, tracked", "@azure/data-tables", "Read a page of 1,000 rows"],
  ["transaction", "Partita", "@azure/data-tables", "Insert 100 rows in one transaction"],
  [
    "cycle",
    "Partita",
    "MikroORM over better-sqlite3",
    "Insert 10,000 rows into a file, read them, change 1,000",
  ],
])("the figure of the home page for %s is the one that was measured", (name, ours, other, work) => {
  const row = rows.find((each) => each.name === name);
  const costOf = (contender: string) =>
    row?.contenders.find((each) => each.name === contender)?.median ?? Number.NaN;

  expect(home).toContain(`${work}: ${(costOf(other) / costOf(ours)).toFixed(1)} times less than`);
});

test("the home page has at most 450 words", () => {
  expect(home.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(450);
});
