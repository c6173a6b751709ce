import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PackedProject, unpackedProject } from "../src/packed-project.ts";
import { run } from "../src/run.ts";

// What Node prints for an uncaught error of the packed packages: the message, then the line of the program that made the mistake.

let project: PackedProject;
beforeAll(async () => {
  project = await unpackedProject();
});
afterAll(() => project[Symbol.asyncDispose]());

const setting = `
import { defineEntity, openStorage, TableContext, text, work } from "@partita/core";
class Blog extends defineEntity({ table: "Blogs", partitionKey: { channel: text() }, rowKey: { id: text() }, properties: {} }) {}
const storage = await openStorage("memory:");
const context = new TableContext(storage);
const key = { channel: "a", id: "b" };
`;
const unreachable = "AccountName=a;AccountKey=c2VjcmV0;TableEndpoint=http://127.0.0.1:1/a";

describe.each<[what: string, text: string, file?: string]>([
  ["a synchronous call", `${setting}context.add({ a: 1 }); // here`],
  ["a callback of a timer", `${setting}setTimeout(() => {\n  context.add({ a: 1 }); // here\n});`],
  ["a condition", `${setting}context.query(Blog).where((b) => b.titel.eq("x")); // here`],
  ["a find", `${setting}await context.find(Blog, key); // here`],
  ["an array", `${setting}await context.query(Blog).where(key).toArray(); // here`],
  ["a loop", `${setting}for await (const b of context.query(Blog).where({ channel: "a" })) b; // here`],
  ["a count", `${setting}await context.query(Blog).where({ channel: "a" }).count(); // here`],
  ["a bulk write", `${setting}await context.query(Blog).where({ channel: "a" }).removeAll(); // here`],
  ["a save", `${setting}context.create(Blog, key);\nawait context.saveChanges(); // here`],
  ["modify", `${setting}await context.modify(Blog, key, () => {}); // here`],
  ["work", `${setting}await work(storage, (own) => void own.create(Blog, key)); // here`],
  [
    "a function that nobody waits for",
    `${setting}async function load() {\n  await context.find(Blog, key); // here\n}\nload();`,
  ],
  [
    "a service that does not answer",
    `${setting}const service = await openStorage("${unreachable}");
const own = new TableContext(service, { retry: { attempts: 1, delayMs: 0 } });
await own.find(Blog, key); // here`,
  ],
  ["a decorated class", `import * as decorators from "@partita/decorators";\ndecorators.Table(); // here`],
  [
    "a CommonJS program",
    `const { defineEntity } = require("@partita/core");\ndefineEntity({ table: "Blogs", partitionKey: "x" }); // here`,
    "program.cjs",
  ],
])("an uncaught error of %s", (_what, text, name = "program.mjs") => {
  test.each([[[]], [["--enable-source-maps"]]])("with %j", async (options) => {
    const file = join(project.folder, name);
    await writeFile(file, text);
    const line = text.split("\n").findIndex((each) => each.endsWith("// here")) + 1;

    const { stderr, status } = await run(process.execPath, [...options, file], project.folder);

    expect(status).toBe(1);
    expect(stderr).toMatch(/^\w+(?:Error|Refused): /);
    const first = stderr.split("\n").find((each) => /^ +at /.test(each));
    expect(first).toContain(`${name}:${line}:`);
  });
});
