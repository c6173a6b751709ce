import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ReportedLine } from "../src/report.ts";
import { readResults, writeResults } from "../src/run/results-file.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "partita-results-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const row = (benchmark: string, name: string): ReportedLine => ({
  row: {
    benchmark,
    name,
    title: name,
    unit: "ns",
    contenders: [{ name: "a", role: "baseline", median: 1 / 3, low: 1 }],
  },
});

test("a run replaces the rows of its own benchmarks and leaves the others", () => {
  const file = join(folder, "inner", "results.json");
  writeResults(
    file,
    [row("load", "load"), row("decode", "page"), row("decode", "gone")],
    ["load", "decode"],
    "2026-01-01",
  );

  writeResults(file, [row("decode", "page")], ["decode"], "2026-01-02");

  const { rows } = readResults(file);
  expect(rows.map(({ benchmark, name, date }) => [benchmark, name, date])).toEqual([
    ["decode", "page", "2026-01-02"],
    ["load", "load", "2026-01-01"],
  ]);
});

test("results say on what they were measured, in few digits", () => {
  const file = join(folder, "results.json");
  writeResults(file, [row("decode", "page")], ["decode"]);

  const { machine, versions } = readResults(file);
  expect(versions).toMatchObject({
    node: process.versions.node,
    "@azure/data-tables": expect.stringMatching(/^\d/),
  });
  expect(machine).toMatchObject({ cores: expect.any(Number) });
  expect(readFileSync(file, "utf8")).toContain("0.3333,");
});
