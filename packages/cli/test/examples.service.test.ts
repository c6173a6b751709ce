import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { openStorage } from "@partita/core";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CommandLine } from "../src/command-line.ts";
import { program } from "../src/program.ts";
import { published } from "./published.ts";
import { run, runUntilStopped } from "./run.ts";

/*
 * Every example of a help page is called exactly as printed, in a folder with the files that it names.
 */

const withThoseBelow = (command: CommandLine): readonly CommandLine[] => [
  command,
  ...(command.commands as readonly CommandLine[]).flatMap(withThoseBelow),
];
const commands = (program().commands as readonly CommandLine[]).flatMap(withThoseBelow);
const examples = [...new Set(commands.flatMap(({ exampleCalls }) => exampleCalls))];

/** Examples that need more than files. Other tests make such calls. */
const elsewhere: Readonly<Record<string, string>> = {
  "partita doctor": "doctor/doctor.service.test.ts",
  "partita postgres": "postgres/commands.service.test.ts",
  "partita page-ranges": "page-ranges/page-ranges.service.test.ts",
};
const serving = ["serve", "studio"];

let folder: TemporaryFolder;
const home = process.cwd();

beforeAll(async () => {
  folder = await temporaryFolder();
  process.chdir(folder.file("."));
  await writePlaces();
  const modules = {
    "moves.js": `export class Place extends defineEntity({ ...own, rowKey: { id: text() } }) {}
      export class WidePlace extends defineEntity({
        ...own, rowKey: { of: constant("PLACE"), id: text() }, formerKeys: Place,
      }) {}`,
    "patterns.js": `import { anyText, definePatterns, pattern } from ${JSON.stringify(published("patterns"))};
      export class Place extends defineEntity({ ...own, rowKey: { id: text() } }) {}
      export const patterns = definePatterns({
        ofCountry: pattern(Place, { country: anyText() }, (query, { country }) => query.where({ country }), {
          atMost: "partition scan",
        }),
      });`,
    "stress.js": `import { defineStress } from ${JSON.stringify(published("testing"))};
      class Place extends defineEntity({ ...own, rowKey: { id: text() } }) {}
      const run = (context, n) => void context.create(Place, { country: "JP", id: String(n), name: "n" });
      export const places = defineStress(Place, { partition: { country: "JP" }, load: [{ share: 1, run }] });`,
    "indexed.js": indexed(""),
    "retired.js": indexed(', state: "retired"'),
  };
  writeFileSync("package.json", '{ "type": "module" }');
  for (const [name, source] of Object.entries(modules)) writeFileSync(name, `${imports}\n${source}`);
  for (const call of [
    `export file:places.db Places --filter "PartitionKey eq 'JP'" -o japan.csv`,
    "files file:places.db put japan.csv /lists/japan.csv",
    "backup file:places.db places.backup",
    "generate file:places.db Places -o generated.txt",
  ])
    expect(await run(...wordsOf(`partita ${call}`)), call).toMatchObject({ code: 0 });
  // The generated module imports the package by its name, which a temporary folder does not have.
  const generated = await readFile("generated.txt", "utf8");
  writeFileSync(
    "places.ts",
    generated.replaceAll(/"@partita\/core(?:\/(\w+))?"/g, (_all, entry?: string) =>
      JSON.stringify(published("core", entry)),
    ),
  );
  const { out } = await run("snapshot-model", "places.ts");
  writeFileSync("old.json", out);
  copyFileSync("places.db", "original.db");
});
afterAll(async () => {
  process.chdir(home);
  await folder[Symbol.asyncDispose]();
});

const imports = `
import { defineEntity, text } from ${JSON.stringify(published("core"))};
import { constant, verbatim } from ${JSON.stringify(published("core", "keys"))};
const own = { table: "Places", partitionKey: { country: text() }, properties: { name: text() } };`;

const indexed = (state: string): string => `
export class Place extends defineEntity({
  ...own, rowKey: { id: text() },
  indexes: { byName: { rowKey: { name: constant("NAME:", verbatim) }${state} } },
}) {}`;

/** Rows as the quickstart stores them. */
async function writePlaces(): Promise<void> {
  await using storage = await openStorage("file:places.db");
  await storage.createTable("Places");
  for (const [PartitionKey, country, cities] of [
    ["IS", "Iceland", ["Reykjavik", "Vik"]],
    ["JP", "Japan", ["Tokyo", "Yokohama", "Osaka"]],
  ] as const) {
    const entities = cities.map((name, i) => ({
      PartitionKey,
      RowKey: `City_${9_991_663_400 + i}_00000000${i}`,
      Kind: "City",
      name,
    }));
    for (const entity of [...entities, { PartitionKey, RowKey: "Country", Kind: "Country", name: country }])
      await storage.write("Places", { type: "insert", entity });
  }
}

/** The words that a shell passes. The output of a call is not written to a file. */
const wordsOf = (call: string): readonly string[] =>
  Array.from(
    call.replace(/ > \S+$/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  ).slice(1);

const kept = /\.(?:js|ts|json|csv|backup)$|^original\.db$/;
beforeEach(() => {
  for (const name of readdirSync("."))
    if (!kept.test(name) || /^(?:exported|generated|local)\./.test(name)) rmSync(name, { recursive: true });
  if (existsSync("original.db")) copyFileSync("original.db", "places.db");
});

test("every help page has an example of a complete call", () => {
  expect(commands.filter(({ exampleCalls }) => exampleCalls.length === 0).map(({ path }) => path)).toEqual(
    [],
  );
  for (const { path, exampleCalls } of commands)
    for (const call of exampleCalls)
      expect(call).toMatch(new RegExp(`^${path.replace("partita files ", "partita files \\S+ ")} `));
});

describe("an example of a help page", () => {
  const isElsewhere = (call: string): boolean =>
    Object.keys(elsewhere).some((start) => call.startsWith(start));

  test.each(examples.filter((call) => !isElsewhere(call)))("%s", async (call) => {
    const words = wordsOf(call);
    const { code, errors } = await (serving.includes(words[0] ?? "")
      ? runUntilStopped(...words)
      : run(...words));

    expect({ errors, code }).toEqual({ errors: expect.not.stringMatching(/\n\s+at /), code: 0 });
  });
});
