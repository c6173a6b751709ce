import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PackedProject, unpackedProject } from "../src/packed-project.ts";
import { run, runWell } from "../src/run.ts";

// What the bundles of the packages must not change: classes that are one, stacks that lead to sources, late loading.

let project: PackedProject;
beforeAll(async () => {
  project = await unpackedProject();
});
afterAll(() => project[Symbol.asyncDispose]());

/** Runs a module in the project, where the packages are as npm installs them. */
const evaluate = (code: string, ...flags: string[]): Promise<string> =>
  runWell(process.execPath, [...flags, "--input-type=module", "-e", code], project.folder);

test("an error of one entry is an instance of the class of another", async () => {
  const output = await evaluate(`
    import { QueryError, StorageError } from "@partita/core";
    import { parseFilter } from "@partita/core/protocol";
    import { openTableService } from "@partita/account";
    const caught = [];
    try { parseFilter("(") } catch (error) { caught.push(error instanceof QueryError) }
    await openTableService("nowhere").catch((error) => caught.push(error instanceof StorageError));
    console.log(caught.join(" "));`);

  expect(output).toBe("true true");
});

test("importing core loads no database, cryptography or network", async () => {
  const output = await evaluate(`
    await import("@partita/core");
    const heavy = /^NativeModule (?:sqlite|crypto|net|http|https|zlib)$|undici$/;
    console.log(process.moduleLoadList.filter((name) => heavy.test(name)).join(" "));`);

  expect(output).toBe("");
});

// The stack of an error of Partita starts at the program's line. Errors of a program's own functions show the frames.
test.each([
  [
    "what is loaded at once",
    `openStorage("memory:", { get durability() { return fail(); } })`,
    /core[\\/]src[\\/][\w\\/-]+\.ts:\d+/,
  ],
  [
    "what is loaded when it is first used",
    `stored(await openStorage("memory:", { clock: { now: fail, wait() {} } }))`,
    /core[\\/]src[\\/]stores[\\/]embedded[\\/][a-z-]+\.ts:\d+/,
  ],
])("a stack leads to the sources of %s", async (_part, call, place) => {
  const code = `
    import { openStorage } from "@partita/core";
    const fail = () => { throw new Error("own"); };
    const stored = async (storage) => {
      await storage.createTable("Things");
      await storage.write("Things", { type: "insert", entity: { PartitionKey: "a", RowKey: "b" } });
    };
    const print = (error) => console.log(error.stack, error.cause?.stack);
    try { await ${call}; } catch (error) { print(error); }`;

  expect(await evaluate(code, "--enable-source-maps")).toMatch(place);
});

describe("the entries of a package", () => {
  const file = pathToFileURL(join(import.meta.dirname, "../../run/package-entries.mjs")).href;
  const print = (manifest: object): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [
      "--input-type=module",
      "-e",
      `import { entriesOf } from ${JSON.stringify(file)}; console.log(JSON.stringify(entriesOf(${JSON.stringify(manifest)})))`,
    ]);
  const door = (name: string): object => ({
    "@partita/source": `./src/${name}.ts`,
    types: `./dist/${name}.d.ts`,
    default: `./dist/${name}.js`,
  });

  test("are those of exports and bin", async () => {
    const { stdout } = await print({
      exports: {
        ".": { ...door("index"), module: "./dist/modules/index.js" },
        "./deep": door("deep/door"),
        "./package.json": "./package.json",
      },
      bin: { program: "./dist/cli/main.js" },
      typesVersions: { "*": { deep: ["./dist/deep/door.d.ts"] } },
    });

    expect(JSON.parse(stdout)).toEqual([
      { name: "index", source: "./src/index.ts", hasTypes: true, hasModules: true },
      { name: "deep/door", source: "./src/deep/door.ts", hasTypes: true, hasModules: false },
      { name: "cli/main", source: "./src/cli/main.ts", hasTypes: false, hasModules: false },
    ]);
  });

  test.each([
    ["the conditions of an entry", { ".": { ...door("index"), types: "./dist/other.d.ts" } }],
    ["an entry and its modules", { ".": { ...door("index"), module: "./dist/modules/other.js" } }],
    ["an entry and typesVersions", { ".": door("index"), "./more": door("more") }],
  ])("are refused when %s disagree", async (_fields, exports) => {
    const { stderr } = await print({ name: "@partita/example", exports });

    expect(stderr).toMatch(/@partita\/example: (?:the conditions of|typesVersions needs) "/);
  });
});
