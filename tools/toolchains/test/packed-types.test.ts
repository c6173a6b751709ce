import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PackedProject, packages, unpackedProject } from "../src/packed-project.ts";
import { run, runWell } from "../src/run.ts";

// Programs in CommonJS and in ES modules, compiled against the packed types.

const program = `
import { createTables, defineEntity, int32, openStorage, TableContext, text } from "@partita/core";
import { tableSas } from "@partita/account";
import { Int32, PartitionKey, RowKey, Table } from "@partita/decorators";
import { startTableServer } from "@partita/server";

@Table("Posts")
class Post {
  @PartitionKey() p!: string;
  @RowKey() r!: string;
  @Int32() n!: number;
}
class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { n: int32() },
}) {}

async function main(): Promise<void> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Note, Post]);
  const context = new TableContext(storage);
  context.create(Note, { book: "b", id: "1", n: 1 });
  context.create(Post, { p: "b", r: "1", n: 2 });
  await context.saveChanges();
  const note: number | undefined = (await context.query(Note).where({ book: "b" }).first())?.n;
  const post: number | undefined = (await context.query(Post).where({ p: "b" }).first())?.n;
  console.log(note, post, typeof tableSas, typeof startTableServer);
}
void main();
`;

const require = createRequire(import.meta.url);
const compilers = {
  "TypeScript 6": join(dirname(require.resolve("typescript-6/package.json")), "bin/tsc"),
  "TypeScript 7": createRequire(join(import.meta.dirname, "../../../package.json"))
    .resolve("typescript/package.json")
    .replace("package.json", "bin/tsc"),
};

let project: PackedProject;
beforeAll(async () => {
  project = await unpackedProject();
  const types = join(project.folder, "node_modules/@types");
  await mkdir(types, { recursive: true });
  await symlink(dirname(require.resolve("@types/node/package.json")), join(types, "node"), "junction");
});
afterAll(() => project[Symbol.asyncDispose]());

const node10 = { module: "CommonJS", moduleResolution: "Node10", ignoreDeprecations: "6.0" };

test.each(packages)("the first program of the README of %s runs as it stands there", async (name) => {
  const readme = await readFile(join(import.meta.dirname, "../../../packages", name, "README.md"), "utf8");
  const [first = ""] = Array.from(readme.matchAll(/```ts\n([\s\S]*?)```/g), (match) => match[1]);
  const folder = join(project.folder, `readme-${name}`);
  await mkdir(folder);
  await compile("TypeScript 7", folder, "module", { module: "NodeNext" }, first);

  expect(await run(process.execPath, ["program.js"], folder)).toMatchObject({
    stderr: "",
    status: 0,
  });
});

test.each<[keyof typeof compilers, "commonjs" | "module", object]>([
  ["TypeScript 6", "commonjs", node10],
  ["TypeScript 6", "commonjs", { module: "NodeNext", experimentalDecorators: true }],
  ["TypeScript 7", "commonjs", { module: "CommonJS" }],
  ["TypeScript 7", "commonjs", { module: "NodeNext" }],
  ["TypeScript 7", "module", { module: "ESNext", moduleResolution: "Bundler" }],
])("%s compiles a program of type %s with %j, and it runs", async (compiler, type, options) => {
  const folder = join(
    project.folder,
    `${type}-${JSON.stringify(options).replaceAll(/\W/g, "")}-${compiler.slice(-1)}`,
  );
  await mkdir(folder);
  await compile(compiler, folder, type, options, program);

  const { stdout } = await run(process.execPath, [join(folder, "program.js")]);
  expect(stdout).toBe("1 2 function function");
});

/** Compiles one program as a project of its own. @throws Error with what the compiler said */
async function compile(
  compiler: keyof typeof compilers,
  folder: string,
  type: "commonjs" | "module",
  options: object,
  source: string,
): Promise<void> {
  const compilerOptions = {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    rootDir: ".",
    ...options,
  };
  await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await writeFile(join(folder, "program.ts"), source);
  await runWell(process.execPath, [compilers[compiler], "-p", folder]);
}
