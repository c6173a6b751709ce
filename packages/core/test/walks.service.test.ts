import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const script = join(root, "tools/run/walks.mjs");

/** Source files that one call runs at most. */
const limits = { "a save of one changed property": 39, "a find": 28, "a query of one row": 33 };

let counts: Readonly<Record<string, { readonly files: number; readonly functions: number }>>;
beforeAll(async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--no-opt", "--no-maglev", script, "--json"]);
  counts = JSON.parse(stdout) as typeof counts;
});

test("a save, a find and a query of one row cross few source files", () => {
  for (const [walk, limit] of Object.entries(limits))
    expect(counts[walk]?.files, `${walk}: pnpm walks --list names the files`).toBeLessThanOrEqual(limit);
});

test("ARCHITECTURE.md has the figures that `pnpm walks --update` writes", async () => {
  const text = await readFile(join(root, "ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| (an? .+?) +\| +(\d+) \| +(\d+) \|$/gm)];

  const figures = rows.map(([, call, files, functions]) => [
    call,
    { files: Number(files), functions: Number(functions) },
  ]);

  expect(Object.fromEntries(figures)).toEqual(counts);
});
