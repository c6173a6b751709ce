import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Inside this package, so that the programs find the packages.
const folder = join(import.meta.dirname, "temp/cookbook");
const page = join(import.meta.dirname, "../../../docs/cookbook.md");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Recipe {
  readonly title: string;
  readonly program: string;
  /** Why it is not executed; undefined for all others. */
  readonly reason: string | undefined;
}

const text = await readFile(page, "utf8");
const recipes: Recipe[] = text
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const title = section.slice(0, section.indexOf("\n"));
    const blocks = section.matchAll(/(?:<!-- not executed: ([^\n]*) -->\n\n)?```ts\n([\s\S]*?)```/g);
    return Array.from(blocks, ([, reason, program = ""]) => ({ title, program, reason }));
  });
const programs = recipes.filter(({ reason }) => reason === undefined);

/** What a program says that it prints: behind `// →`, lines of a loop behind arrows of their own. */
const saidOutput = (program: string): string[] =>
  program.split("\n").flatMap((line) => /\/\/ → (.*)$/.exec(line)?.[1]?.split(" → ") ?? []);

const fileOf = (index: number): string => join(folder, `recipe-${index}.ts`);

test("every recipe is executed, unless it needs another framework", () => {
  expect(programs.map(({ title }) => title)).toEqual([
    "HTTP 409 and 412 from a conflict",
    "ETags through an HTTP API",
    "Pages in an HTTP API",
    "Sorting",
    "Tags: many to many",
    "Unique values",
    "Lists with counts",
    "Many rows at once",
    "Everything of a partition, removed",
    "Rows that expire (TTL)",
    "Text that begins with …",
    "Large numbers, exact times, absent values",
  ]);
  for (const { reason } of recipes.filter((each) => !programs.includes(each)))
    expect(reason).toMatch(/^needs @/);
  // The list at the top leads to each.
  for (const { title } of recipes) expect(text).toContain(`- [${title}](#`);
});

test("the recipes compile under strict options", async () => {
  for (const [index, { program }] of programs.entries()) await writeFile(fileOf(index), program);
  const language = ["--target", "es2023", "--module", "nodenext", "--lib", "es2023,esnext.disposable"];
  const strict = [
    "--strict",
    "--noUncheckedIndexedAccess",
    "--exactOptionalPropertyTypes",
    "--erasableSyntaxOnly",
  ];

  const { stdout } = spawnSync(
    "tsc",
    [
      ...programs.map((_, index) => fileOf(index)),
      "--ignoreConfig",
      "--noEmit",
      "--skipLibCheck",
      "--types",
      "node",
      ...language,
      ...strict,
    ],
    { cwd: folder, encoding: "utf8" },
  );

  expect(stdout).toBe("");
});

describe("a recipe prints what it says, by type stripping alone", () => {
  test.each(programs.map(({ title, program }, index) => [title, program, index] as const))(
    "%s",
    async (_title, program, index) => {
      await writeFile(fileOf(index), program);

      const { stdout, stderr } = spawnSync(process.execPath, [fileOf(index)], {
        cwd: folder,
        encoding: "utf8",
      });

      expect(stderr).toBe("");
      expect(stdout.trimEnd().split("\n")).toEqual(saidOutput(program));
      // Node 22 has no `await using`.
      expect(program).not.toContain("await using");
    },
  );
});
