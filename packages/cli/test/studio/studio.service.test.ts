import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { openStorage } from "@partita/core";
import { initPostgres } from "@partita/postgres";
import { hasPostgres } from "@partita/test-support/postgres";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main, published } from "../published.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [main, "studio", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });

/** The address that a studio prints when it is ready. */
async function addressOf(child: ChildProcess): Promise<URL> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    if (line.startsWith("http://")) return new URL(line);
  throw new Error("It ended before it printed an address.");
}

async function endOf(child: ChildProcess): Promise<{ readonly code: unknown; readonly errors: string }> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, errors };
}

test("partita studio takes the next port if its port is taken, and says so", async () => {
  const file = folder.file("ports.db");
  await (await openStorage(`file:${file}`)).close();
  const first = start(`file:${file}`);
  const { port } = await addressOf(first);
  const second = start(`file:${file}`, "--port", port);
  const ended = endOf(second);

  const { port: next } = await addressOf(second);
  for (const child of [first, second]) child.kill("SIGTERM");

  expect(Number(next)).toBeGreaterThan(Number(port));
  expect(await ended).toEqual({
    code: 0,
    errors: `The port ${port} is taken. Using ${next} instead.\n`,
  });
});

test("partita studio serves the classes of a module over a file, read-only, until it is ended", async () => {
  const file = folder.file("blogs.db");
  const model = folder.file("model.mjs");
  await using storage = await openStorage(`file:${file}`);
  await storage.createTable("Blogs");
  const ofBlog = `{ table: "Blogs", partitionKey: { channel: text() }, rowKey: { id: text() }, properties: {} }`;
  await writeFile(
    model,
    `import { defineEntity, text } from ${JSON.stringify(published("core"))};\nexport class Blog extends defineEntity(${ofBlog}) {}\n`,
  );
  const child = start(model, `file:${file}`, "--read-only");
  const url = await addressOf(child);
  const headers = { authorization: `Bearer ${url.hash.slice(1)}` };

  const info = (await (await fetch(new URL("/api/info", url), { headers })).json()) as object;
  const page = await fetch(url);
  const ended = endOf(child);
  child.kill("SIGTERM");

  expect(info).toMatchObject({ isReadOnly: true, tables: [{ name: "Blogs", classes: [{ name: "Blog" }] }] });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await ended).toMatchObject({ code: 0, errors: "" });
});

test.runIf(hasPostgres)("partita studio shows and changes rows of a PostgreSQL database", async () => {
  const target = `${process.env["PARTITA_POSTGRES"]}?schema=studio_${process.pid}`;
  await initPostgres(target);
  await using storage = await openStorage(target);
  await storage.createTable("Blogs");
  for (const RowKey of ["1", "2", "3"])
    await storage.write("Blogs", { type: "insert", entity: { PartitionKey: "p", RowKey, Title: "Old" } });
  const child = start(target);
  const url = await addressOf(child);
  const headers = {
    authorization: `Bearer ${url.hash.slice(1)}`,
    "content-type": "application/json",
  };
  const ask = async <Result>(name: string, body: object): Promise<Result> => {
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    return (await (await fetch(new URL(`/api/${name}`, url), sent)).json()) as Result;
  };

  const query = { table: "Blogs", text: "PartitionKey eq 'p' and RowKey ge '2'", size: 10 };
  const { rows } = await ask<{ readonly rows: readonly object[] }>("rows/page", query);
  const row = await ask<{ readonly id: string; readonly etag: string }>("staged/open", {
    table: "Blogs",
    ...rows[0],
  });
  const changes = [{ name: "Title", type: "String", value: "New" }];
  await ask("staged/edit", { id: row.id, etag: row.etag, changes });
  const summary = await ask("staged/save", {});
  const ended = endOf(child);
  child.kill("SIGTERM");

  expect(rows).toMatchObject([{ rowKey: "2" }, { rowKey: "3" }]);
  expect(summary).toMatchObject({ saved: 1, staged: [] });
  const { entities } = await storage.query("Blogs", {});
  expect(entities.map(({ Title }) => Title)).toEqual(["Old", "New", "Old"]);
  expect(await ended).toMatchObject({ code: 0, errors: "" });
});

test("partita studio refuses arguments that are not its own, and makes no file", async () => {
  const calls = [
    [[], "missing required argument"],
    [["file:nothing.db"], "There is no nothing.db"],
    [["model.js"], "needs the storage after the module"],
    [["memory:", "--port", "many"], "--port takes a number"],
    [["memory:", "--readonly"], "--read-only"],
  ] as const;
  for (const [args, message] of calls) {
    const { code, errors } = await endOf(start(...args));
    expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  }
});
