import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../temp-doctor");
const main = join(import.meta.dirname, "../../../packages/cli/dist/main.js");
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

const good = {
  target: "ES2023",
  lib: ["ES2023", "ESNext.Disposable"],
  types: ["node"],
  module: "NodeNext",
  strict: true,
  skipLibCheck: true,
};

/** A folder for projects whose package.json says this. */
async function projectsOf(type: "module" | "commonjs"): Promise<string> {
  const projects = join(folder, type);
  await mkdir(projects, { recursive: true });
  await writeFile(join(projects, "package.json"), JSON.stringify({ name: type, type }));
  return projects;
}

async function doctor(
  name: string,
  options: object,
  type: "module" | "commonjs" = "module",
): Promise<{ output: string; status: number | null }> {
  const config = join(await projectsOf(type), `${name}.json`);
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...good, ...options }, files: [], include: ["none"] }),
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, "doctor", config], {
    encoding: "utf8",
  });
  return { output: stdout + stderr, status };
}

test.each<[string, object]>([
  ["standard", {}],
  ["legacy", { experimentalDecorators: true }],
  ["legacy-metadata", { experimentalDecorators: true, emitDecoratorMetadata: true }],
  ["bundler", { module: "ESNext", moduleResolution: "Bundler", noEmit: true }],
  [
    "declarations",
    { declaration: true, composite: true, verbatimModuleSyntax: true, exactOptionalPropertyTypes: true },
  ],
])("finds nothing wrong with %s", async (name, options) => {
  const { output, status } = await doctor(name, options);

  expect(output).toMatch(/✓ decorated classes compile, run, and are stored/);
  expect(status).toBe(0);
});

test.each<[string, object, RegExp]>([
  ["target", { target: "ESNext" }, /✗ target: "esnext" leaves standard decorators.*"target": "ES2023"/i],
  [
    "moduleResolution",
    { module: "ESNext", moduleResolution: "Classic" },
    /✗ moduleResolution: .*"classic".*NodeNext[\s\S]*Output of the compiler and the program:\n.*TS510[78]/i,
  ],
  ["types", { types: ["node", "nope"] }, /✗ types: "nope" is not installed/],
  ["the types of Node", { types: [] }, /✗ types: .*"types": \["node"\]/],
])("names %s when it is wrong", async (name, options, message) => {
  const { output, status } = await doctor(name, options);

  expect(output).toMatch(message);
  expect(status).toBe(1);
});

test.each<[string, object]>([
  ["NodeNext", {}],
  ["CommonJS", { module: "CommonJS", moduleResolution: "Bundler" }],
  ["CommonJS with legacy decorators", { module: "CommonJS", experimentalDecorators: true }],
])("finds nothing wrong with a CommonJS project of module %s", async (name, options) => {
  const { output, status } = await doctor(name, options, "commonjs");

  expect(output).toMatch(/modules: CommonJS, which loads Partita with require\(\), in Node 22\.19 or later/);
  expect(output).toMatch(/✓ decorated classes compile, run, and are stored/);
  expect(status).toBe(0);
});

test.each<[string, "module" | "commonjs", object, RegExp]>([
  ["module", "commonjs", { module: "Node16" }, /✗ module: "node16" does not let CommonJS.*"NodeNext"/i],
  ["verbatimModuleSyntax", "commonjs", { verbatimModuleSyntax: true }, /✗ verbatimModuleSyntax: .*CommonJS/],
  ["module", "module", { module: "CommonJS" }, /✗ module: "CommonJS" contradicts "type": "module"/],
])("names %s when it does not fit a package of type %s", async (_flag, type, options, message) => {
  const { output, status } = await doctor("modules", options, type);

  expect(output).toMatch(message);
  expect(status).toBe(1);
});

test("judges a project that has no sources yet, named by its folder", async () => {
  const projects = await projectsOf("module");
  await writeFile(join(projects, "tsconfig.json"), JSON.stringify({ compilerOptions: good }));

  const { stdout, status } = spawnSync(process.execPath, [main, "doctor", projects], { encoding: "utf8" });

  expect(stdout).toMatch(/✓ decorated classes compile, run, and are stored/);
  expect(status).toBe(0);
});

test("asks for one of the projects that a configuration only refers to", async () => {
  const config = join(await projectsOf("module"), "solution.json");
  await writeFile(config, JSON.stringify({ files: [], references: [{ path: "./packages/model" }] }));

  const { stderr, status } = spawnSync(process.execPath, [main, "doctor", config], { encoding: "utf8" });

  expect(stderr).toMatch(/only refers to other projects\. Choose one: partita doctor \.\/packages\/model/);
  expect(status).toBe(2);
});

test("leaves nothing behind, and says how it is used", async () => {
  const left = await readdir(join(await projectsOf("module"), "node_modules")).catch(() => []);
  expect(left).toEqual([]);

  const help = spawnSync(process.execPath, [main], { encoding: "utf8" });
  expect(help.stdout).toMatch(/Usage: partita .*doctor/s);
  const missing = spawnSync(process.execPath, [main, "doctor", "none.json"], { encoding: "utf8" });
  expect(missing.stderr).toMatch(/There is no .*none\.json/);
});
