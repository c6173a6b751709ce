import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const script = join(root, "tools/run/walks.mjs");

/** Source files that one call runs at most. */
const limits = { save: 36, find: 28, "query of one row": 30 };

test("a save, a find and a query of one row cross few source files", async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--no-opt", "--no-maglev", script, "--json"]);
  const counts = JSON.parse(stdout) as Readonly<Record<string, { readonly files: number }>>;

  for (const [walk, limit] of Object.entries(limits))
    expect(counts[walk]?.files, `${walk}: pnpm walks --list names the files`).toBeLessThanOrEqual(limit);
});
