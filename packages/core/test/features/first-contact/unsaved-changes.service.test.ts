import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

// A program that ends with changes which it never saved says so, in development.

const start = `
import { createTables, defineEntity, openStorage, TableContext, text, work } from "@partita/core";
class Blog extends defineEntity({ table: "Blogs", partitionKey: { channel: text() }, rowKey: { id: text() }, properties: { title: text().default("") } }) {}
class Note extends defineEntity({ table: "Notes", partitionKey: { channel: text() }, rowKey: { id: text() }, properties: {} }) {}
const storage = await openStorage("memory:");
await createTables(storage, [Blog, Note]);
const context = new TableContext(storage);
const key = { channel: "a", id: "b" };
`;

/** What a program prints to its error output. */
function run(program: string, env: NodeJS.ProcessEnv = {}, ...options: string[]): string {
  const args = ["--conditions=@partita/source", "--disable-warning=ExperimentalWarning", ...options];
  const { stderr, error } = spawnSync(
    process.execPath,
    [...args, "--input-type=module", "--eval", start + program],
    {
      cwd: join(import.meta.dirname, "../../.."),
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "", ...env },
      timeout: 60_000,
    },
  );
  expect(error).toBeUndefined();
  return stderr;
}

test.each([
  ["saveChanges() is forgotten", `context.create(Blog, key);`, "1 of Blog"],
  [
    "several kinds are left",
    `context.create(Blog, key);\ncontext.create(Note, key);\ncontext.create(Note, { ...key, id: "c" });`,
    "1 of Blog, 2 of Note",
  ],
  [
    "another context is saved",
    `context.create(Blog, key);\nawait context.saveChanges();
const other = new TableContext(storage);
(await other.find(Blog, key)).title = "x";
await context.saveChanges();`,
    "1 of Blog",
  ],
  [
    "work() changes an entity of another context",
    `await work(storage, async () => { context.create(Blog, key); });`,
    "1 of Blog",
  ],
  [
    "the process exits during a save",
    `context.create(Blog, key);\ncontext.saveChanges();\nprocess.exit();`,
    "1 of Blog",
  ],
])("a program is warned when it ends, and %s", (_what, program, count) => {
  expect(run(program)).toMatch(
    new RegExp(`PARTITA_UNSAVED.* ended with .*\\(${count}\\)\\. Await saveChanges\\(\\)`),
  );
});

test("of contexts that are dropped, one is warned of", () => {
  const program = `for (let i = 0; i < 10; i++) new TableContext(storage).create(Blog, key);
await new Promise((resolve) => setTimeout(resolve, 10));
gc();
await new Promise((resolve) => setTimeout(resolve, 100));`;

  const warnings = run(program, {}, "--expose-gc").match(/PARTITA_UNSAVED.*/g);

  expect(warnings).toEqual([expect.stringMatching(/A context was dropped.*1 of Blog/)]);
});

test.each([
  ["everything is saved", `context.create(Blog, key);\nawait context.saveChanges();`],
  ["changes were discarded", `context.create(Blog, key);\ncontext.clear({ discard: true });`],
  [
    "a save was refused and reported",
    `context.create(Blog, { ...key, title: 5 });\nawait context.saveChanges().catch(() => {});`,
  ],
])("nothing is said when %s", (_what, program) => {
  expect(run(program)).toBe("");
});

test("nothing is said in production and in tests, and after an error", () => {
  const program = `context.create(Blog, key);`;

  for (const env of ["production", "test"]) expect(run(program, { NODE_ENV: env })).toBe("");
  expect(run(program, {}, "--no-warnings")).toBe("");
  expect(run(`${program}\nthrow new Error("other");`)).not.toContain("PARTITA_UNSAVED");
});
