import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as core from "@partita/core";
import * as keys from "@partita/core/keys";
import * as maintenance from "@partita/maintenance";
import * as rest from "@partita/core/rest";
import * as steps from "@partita/core/upgrades";
import * as decorators from "@partita/decorators";
import * as server from "@partita/server";
import * as testing from "@partita/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  exportsOf,
  type Guide,
  moduleOf,
  outputOf,
  readGuides,
  type Snippet,
  type Source,
} from "./guides/guide.ts";

// Inside this package, so that the programs find the packages.
const folder = join(import.meta.dirname, "temp/guides");
const setting = join(import.meta.dirname, "guides/setting.ts");
/** Types that snippets name. */
const types = ["Children", "EntityClass"];

const withoutDecorators: readonly Source[] = [
  { module: "@partita/core", names: [...Object.keys(core), ...types] },
  { module: "@partita/core/keys", names: Object.keys(keys) },
  { module: "@partita/maintenance", names: Object.keys(maintenance) },
  { module: "@partita/core/upgrades", names: Object.keys(steps) },
  { module: "@partita/core/rest", names: Object.keys(rest) },
  { module: "@partita/server", names: Object.keys(server) },
  { module: "@partita/testing", names: Object.keys(testing) },
];
const withDecorators: readonly Source[] = [
  { module: "@partita/decorators", names: Object.keys(decorators) },
  ...withoutDecorators,
];

interface Program {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly snippet: Snippet;
}

function programsOf({ path, snippets }: Guide, namesOfSetting: readonly string[]): Program[] {
  const nameOf = (i: number): string => `${path.replaceAll(/\W/g, "-")}-${i + 1}`;
  return snippets.map((snippet, i) => {
    // The latest first: a guide may show the same class twice.
    const earlier = snippets
      .slice(0, i)
      .map(({ code }, j) => ({ module: `./${nameOf(j)}.ts`, names: exportsOf(code) }));
    const sources = [
      ...earlier.reverse(),
      { module: "./setting.ts", names: namesOfSetting },
      ...packagesFor(snippet),
    ];
    return {
      name: nameOf(i),
      title: `${path}, line ${snippet.line}`,
      text: moduleOf(snippet.code, sources),
      snippet,
    };
  });
}

/** A snippet with imports is copied as it is, so it imports all that it uses of packages. Others are fragments. */
function packagesFor({ code }: Snippet): readonly Source[] {
  if (/^import /m.test(code)) return [];
  return /^ *@\w+\(/m.test(code) ? withDecorators : withoutDecorators;
}

const settingText = await readFile(setting, "utf8");
const namesOfSetting = Array.from(
  settingText.matchAll(/^export (?:const|class|async function) (?:(\w+)|[[{] ?([\w, ]+?) ?[\]}])/gm),
  ([, name, list]) => name ?? list ?? "",
).flatMap((list) => list.split(", "));
const programs = (await readGuides()).flatMap((guide) => programsOf(guide, namesOfSetting));

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

test.each([
  ["standard", []],
  ["legacy", ["--experimentalDecorators", "--emitDecoratorMetadata"]],
] as const)(
  "the snippets of every guide compile under strict options, by %s decorators",
  (dialect, decorators) => {
    const language = ["--target", "es2023", "--module", "nodenext", "--lib", "es2023,esnext.disposable"];
    const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
    const options = [
      "--ignoreConfig",
      "--rewriteRelativeImportExtensions",
      "--skipLibCheck",
      "--types",
      "node",
    ];
    const files = programs
      .filter(({ snippet }) => snippet.isLegacy === (dialect === "legacy"))
      .map(({ name }) => `${name}.ts`);

    const { stdout } = spawnSync("tsc", [...files, ...options, ...language, ...strict, ...decorators], {
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
