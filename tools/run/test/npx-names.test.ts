import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const workspace = join(import.meta.dirname, "../../..");

test("npx gets the name of our package, since anyone could publish one by the name of its command", () => {
  const patterns = [
    "*.md",
    "docs/**/*.md",
    "packages/*/README.md",
    "packages/*/src/**/*.ts",
    "examples/**/*.md",
  ];
  const files = globSync(patterns, { cwd: workspace, exclude: ["**/node_modules/**"] });
  // The guide says so.
  const warned = "`npx partita` would ask npm";

  const wrong = files.filter((file) =>
    readFileSync(join(workspace, file), "utf8").replace(warned, "").includes("npx partita"),
  );

  expect(files.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});
