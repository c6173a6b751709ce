// The examples of doc comments, which the reference of the site shows: all of them compile, and all of them run. They run one
// after another in one process, each with a setting of its own.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf, readReference, type Source } from "./guides/guide.ts";
import { examplePrograms, namesIn, strictOptions } from "./guides/programs.ts";
import { mainFiles, membersOf } from "./guides/public-members.ts";
import { type Run, runsOf } from "./guides/runs-of.ts";

// Inside this package, so that the programs find the packages.
const folder = join(import.meta.dirname, "temp/reference");
const packages = join(import.meta.dirname, "../../../packages");
const readSetting = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, "guides", name), "utf8");
/** Examples of other packages take a server, a file or a disk from the setting of guides. */
const settings = await Promise.all(
  ["reference-setting.ts", "setting.ts"].map(async (name) => ({ name, text: await readSetting(name) })),
);
const [own, ofGuides] = settings.map(({ name, text }) => ({ module: `./${name}`, names: namesIn(text) }));
const guides = await readReference();
const programs = (
  await Promise.all(
    guides.map(async (guide) =>
      examplePrograms(guide, own as Source, [await packageOf(guide.path), ofGuides as Source]),
    ),
  )
).flat();
const executed = programs.filter(({ snippet }) => snippet.reason === undefined);

/** The package that an example documents: an example need not import it. */
async function packageOf(path: string): Promise<Source> {
  const module = `@partita/${path.split("/")[1]}`;
  const entry = pathToFileURL(join(packages, path.split("/")[1] ?? "", "dist/index.js")).href;
  // The command line has no entry to import.
  const names = await import(entry).then(
    (exported: object) => Object.keys(exported),
    () => [],
  );
  return { module, names };
}

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // A dispatcher of undici is an option of a storage. Only core has it. The other package must not be beside core: compilers
  // would take core with that optional peer for another package than core without it, which our other packages have.
  await mkdir(join(folder, "node_modules/@partita"), { recursive: true });
  for (const [name, place] of [
    ["undici", "core/node_modules/undici"],
    ["@partita/postgres", "postgres"],
  ] as const)
    await symlink(join(packages, place), join(folder, "node_modules", name), "junction");
  for (const { name, text } of settings) await writeFile(join(folder, name), text);
  for (const { name, text } of programs) await writeFile(join(folder, `${name}.ts`), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["standard", "legacy"] as const)(
  "examples of doc comments compile under strict options, by %s decorators",
  (dialect) => {
    const files = programs
      .filter(({ snippet }) => snippet.isLegacy === (dialect === "legacy"))
      .map(({ name }) => `${name}.ts`);
    if (files.length === 0) return;

    const { stdout } = spawnSync("tsc", [...files, ...strictOptions(dialect)], {
      cwd: folder,
      encoding: "utf8",
    });

    expect(stdout).toBe("");
  },
);

describe("an example runs", () => {
  let runs: ReadonlyMap<string, Run>;
  beforeAll(async () => {
    const names = executed.map(({ name }) => name);
    runs = await runsOf(folder, names);
  }, 120_000);

  const rows = executed.map(({ title, name, snippet }) => [title, name, outputOf(snippet)] as const);

  test.each(rows)("%s", (_title, name, output) => {
    const { stdout, stderr } = runs.get(name) as Run;

    const printed = output.length === 0 ? [] : stdout.trimEnd().split("\n");
    expect(stderr).toBe("");
    expect(printed).toEqual(output);
  });
});

describe("every public member has an example", () => {
  test.each(mainFiles)("%s", (path) => {
    const without = membersOf(path).filter(({ hasExample }) => !hasExample);

    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
