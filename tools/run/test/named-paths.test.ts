import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

// A reader who follows a path from a guide to the sources finds a file there.

const workspace = join(import.meta.dirname, "../../..");
const core = join(workspace, "packages/core");

/** Paths in backticks: of a file of TypeScript, or of anything in a folder of the workspace. */
const named = /`((?:\.\.\/)*[\w@-]+(?:[/.][\w@.-]+)*\.ts|(?:packages|tools|examples|docs)\/[\w@./-]+)`/g;
const pathsIn = (file: string): string[] =>
  [...readFileSync(join(workspace, file), "utf8").matchAll(named)].map(([, path]) => path as string);

test("the files that CONTRIBUTING names are there", () => {
  const roots = [workspace, join(core, "src"), core];
  const missing = pathsIn("CONTRIBUTING.md")
    .filter((path) => path.includes("/") && !path.includes("*"))
    .filter((path) => !roots.some((root) => existsSync(join(root, path))));

  expect(missing).toEqual([]);
});

test.each(globSync("packages/core/src/*/README.md", { cwd: workspace }))(
  "the files that %s names are there, and it has at most 25 lines",
  (file) => {
    const wing = dirname(join(workspace, file));
    const rooms = globSync("*/", { cwd: wing }).map((room) => join(wing, room));
    const roots = [wing, ...rooms, join(core, "src"), core, workspace];
    const missing = pathsIn(file).filter((path) => !roots.some((root) => existsSync(join(root, path))));

    expect(missing).toEqual([]);
    expect(readFileSync(join(workspace, file), "utf8").trim().split("\n").length).toBeLessThanOrEqual(25);
  },
);
