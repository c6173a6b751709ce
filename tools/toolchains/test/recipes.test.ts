import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Inside this package, because Node looks for the packages of a program in the folders above it.
const folder = join(import.meta.dirname, "temp/recipes");
const pages = join(import.meta.dirname, "../../../docs/recipes");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Recipe {
  readonly name: string;
  readonly program: string;
  /** Why the tests don't run it; undefined for all others. */
  readonly reason: string | undefined;
}

const names = (await readdir(pages)).filter((name) => name !== "README.md").toSorted();
const list = await readFile(join(pages, "README.md"), "utf8");
const recipes = await Promise.all(names.map(readRecipe));
const programs = recipes.filter(({ reason }) => reason === undefined);

async function readRecipe(name: string): Promise<Recipe> {
  const text = await readFile(join(pages, name), "utf8");
  const blocks = text.matchAll(/(?:<!-- not executed: ([^\n]*) -->\n\n)?^```ts\n([\s\S]*?)^```/gm);
  const [[, reason, program] = [], ...others] = blocks;
  if (program === undefined || others.length > 0) throw new Error(`${name} must have one program.`);
  return { name, program, reason };
}

/** The lines that a program prints, from its comments `// → …`. A loop has an arrow for each line. */
const expectedOutput = (program: string): string[] =>
  program.split("\n").flatMap((line) => /\/\/ → (.*)$/.exec(line)?.[1]?.split(" → ") ?? []);

const fileOf = (name: string): string => join(folder, name.replace(/md$/, "ts"));

test("every recipe runs, except those of other frameworks, and is listed", () => {
  const others = recipes.filter(({ reason }) => reason !== undefined);
  expect(others.map(({ name }) => name)).toEqual(["azure-functions.md", "nestjs.md"]);
  expect(programs.length).toBeGreaterThan(10);
  for (const { program } of programs) expect(expectedOutput(program)).not.toEqual([]);
  for (const name of names) expect(list).toContain(`](${name})`);
});

test("the recipes compile under strict options", async () => {
  for (const { name, program } of programs) await writeFile(fileOf(name), program);
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
      ...programs.map(({ name }) => fileOf(name)),
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

describe("a recipe prints the lines of its comments, without a compiler", () => {
  test.each(programs.map(({ name, program }) => [name, program] as const))("%s", async (name, program) => {
    await writeFile(fileOf(name), program);

    const { stdout, stderr } = spawnSync(process.execPath, [fileOf(name)], {
      cwd: folder,
      encoding: "utf8",
    });

    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual(expectedOutput(program));
    // Node 22 has no `await using`.
    expect(program).not.toContain("await using");
  });
});
