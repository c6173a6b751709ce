import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openStorage } from "@partita/core";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("../../src/cli/serve.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-serve-"));
});
afterAll(() => rm(folder, { recursive: true }));

function start(...args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, ["--conditions=@partita/source", main, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("serves a file to the clients of a connection string, and ends when it is told to", async () => {
  const file = join(folder, "tables.db");
  const child = start("--storage", `file:${file}`, "--port", "0");
  let connectionString: string | undefined;
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    connectionString = /^Connection string: (.*)$/.exec(line)?.[1];
    if (connectionString !== undefined) break;
  }
  await using storage = await openStorage(connectionString as string);
  await storage.createTable("Served");
  await storage.write("Served", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", A: 1 } });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);

  await using opened = await openStorage(`file:${file}`);
  expect(await opened.get("Served", { partitionKey: "p", rowKey: "r" })).toMatchObject({ A: 1 });
});

test.each([
  [["--port", "70000"], 1, /--port takes/],
  [["--prot", "1"], 2, /Usage/],
  [["--storage", "nonsense"], 1, /storage target is not known/],
  [["--port", "0", "--key", "no base64!"], 1, /takes base64/],
])("refuses %j with a sentence", async (args, code, message) => {
  const child = start(...args);
  let told = "";
  child.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString()));
  const [exitCode] = (await once(child, "close")) as [number];
  expect(told).toMatch(message);
  expect(told).not.toMatch(/\n\s+at /);
  expect(exitCode).toBe(code);
});
