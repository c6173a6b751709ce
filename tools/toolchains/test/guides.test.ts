import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf, readGuides } from "./guides/guide.ts";
import { guidePrograms, namesIn, strictOptions } from "./guides/programs.ts";

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

  const rows = executed.map(({ title, name, snippet }) => [title, name, outputOf(snippet)] as const);

  test.each(rows)("%s", (_title, name, output) => {
    // What a snippet leaves open, a server say, does not keep it from ending.
    const run = `await import("./${name}.js"); process.exit(0);`;

    const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", run], {
      cwd: folder,
      encoding: "utf8",
    });

    expect(stderr).toBe("");
    expect(status).toBe(0);
    const printed = output.length === 0 ? [] : stdout.trimEnd().split("\n");
    expect(printed).toEqual(output);
  });
});
