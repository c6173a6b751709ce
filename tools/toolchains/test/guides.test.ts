import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf, readGuides } from "./guides/guide.ts";
import { guidePrograms, namesIn, strictOptions } from "./guides/programs.ts";
import { type Run, runsOf } from "./guides/runs-of.ts";

// Inside this package, so that the programs find the packages.
const folder = join(import.meta.dirname, "temp/guides");
const setting = join(import.meta.dirname, "guides/setting.ts");
const settingText = await readFile(setting, "utf8");
const settings = [{ module: "./setting.ts", names: namesIn(settingText) }];
const programs = (await readGuides()).flatMap((guide) => guidePrograms(guide, settings));

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "setting.ts"), settingText);
  for (const { name, text } of programs) await writeFile(join(folder, `${name}.ts`), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("guides have snippets, and what is not executed says why", () => {
  expect(programs.length).toBeGreaterThan(20);
  const reasons = programs.flatMap(({ snippet }) => snippet.reason ?? []);
  expect(reasons.filter((reason) => !reason.startsWith("needs "))).toEqual([]);
});

test.each(["standard", "legacy"] as const)(
  "the snippets of every guide compile under strict options, by %s decorators",
  (dialect) => {
    const files = programs
      .filter(({ snippet }) => snippet.isLegacy === (dialect === "legacy"))
      .map(({ name }) => `${name}.ts`);

    const { stdout } = spawnSync("tsc", [...files, ...strictOptions(dialect)], {
      cwd: folder,
      encoding: "utf8",
    });

    expect(files).not.toEqual([]);
    expect(stdout).toBe("");
  },
);

describe("a snippet runs", () => {
  const executed = programs.filter(({ snippet }) => snippet.reason === undefined);

  let runs: ReadonlyMap<string, Run>;
  beforeAll(async () => {
    const names = executed.map(({ name }) => name);
    runs = await runsOf(folder, names);
  }, 120_000);

  const rows = executed.map(({ title, name, snippet }) => [title, name, outputOf(snippet)] as const);

  test.each(rows)("%s", (_title, name, output) => {
    const { stdout, stderr } = runs.get(name) as Run;

    expect(stderr).toBe("");
    const printed = output.length === 0 ? [] : stdout.trimEnd().split("\n");
    expect(printed).toEqual(output);
  });
});
