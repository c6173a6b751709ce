import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { openStorage } from "@partita/core";
import { tableFiles } from "@partita/files";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { randomNumbers } from "@partita/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { main } from "../published.ts";

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(() => azurite.stop());

let folder: TemporaryFolder;
let file = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  file = `file:${folder.file("tables.db")}`;
});
afterEach(() => folder[Symbol.asyncDispose]());

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function start(...args: readonly string[]): Child {
  return spawn(process.execPath, [main, "files", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
}

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

async function ended(child: Child): Promise<Run> {
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  return { code, out, errors };
}

function files(...args: readonly string[]): Promise<Run> {
  const child = start(...args);
  child.stdin.end();
  return ended(child);
}

/** Waits until a process has printed a text. */
async function untilPrinted(stream: Readable, wanted: string): Promise<string> {
  let printed = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    if (printed.includes(wanted)) return printed;
  }
  throw new Error(`It ended without ${wanted}.`);
}

/** A folder of files of all kinds of names and lengths. */
async function makeFolder(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const random = randomNumbers(20_261_123);
  const names = ["a", "empty", "b/c", "b/d e%2F+.txt", "ü/ñ/日本", "b/.hidden", "large"];
  const made = new Map<string, Buffer>();
  for (const name of names) {
    const length = name === "large" ? 3_500_000 : name === "empty" ? 0 : Math.floor(random() * 2000);
    const bytes = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
    await mkdir(join(path, name, ".."), { recursive: true });
    await writeFile(join(path, name), bytes);
    made.set(name, bytes);
  }
  return made;
}

describe.each([
  ["a file", () => file],
  ["Azurite", () => azurite.connectionString],
])("over %s", (_name, storage) => {
  test("a folder that is put and got is the same, byte for byte", async () => {
    const made = await makeFolder(folder.file("in"));

    const put = await files(storage(), "put", folder.file("in"), "/docs");
    const got = await files(storage(), "get", "/docs/", folder.file("out"));

    expect(put).toMatchObject({ code: 0, errors: "" });
    expect(put.out).toMatch(/^Wrote 7 files of 7, 3\.\d+ MiB, to \/docs\.\n$/);
    expect(got).toMatchObject({ code: 0, errors: "" });
    const found = await readdir(folder.file("out"), { recursive: true, withFileTypes: true });
    expect(found.filter((entry) => entry.isFile())).toHaveLength(made.size);
    for (const [name, bytes] of made)
      expect((await readFile(join(folder.file("out"), name))).equals(bytes)).toBe(true);
  });

  test("standard input becomes a file, and one that is not there is named with its code", async () => {
    const child = start(storage(), "--name", "Other", "put", "-", "/a", "--type", "text/plain");
    child.stdin.end("one\ntwo\n");

    expect(await ended(child)).toMatchObject({ code: 0, errors: "", out: "Wrote /a, version 1: 8 B.\n" });
    await using opened = await openStorage(storage());
    const stored = tableFiles(opened, { name: "Other" });
    expect(await (await stored.open("/a"))?.text()).toBe("one\ntwo\n");
    await stored.delete("/a");
    expect(await files(storage(), "--name", "Other", "cat", "/a")).toMatchObject({
      code: 1,
      out: "",
      errors: expect.stringMatching(/^file\.missing: There is no file at "\/a"\.[^\n]*\n$/) as string,
    });
  });
});

test("tail -f prints what other processes append, and Ctrl+C ends it with 130", async () => {
  await using storage = await openStorage(file);
  const log = await tableFiles(storage).create("/log");
  await log.append("one\n");

  const child = start(file, "tail", "-f", "/log");
  const exit = once(child, "exit") as Promise<[number | null]>;
  await untilPrinted(child.stdout, "one\n");
  await log.append("two\n");
  await log.append("three\n");
  expect(await untilPrinted(child.stdout, "three\n")).toBe("two\nthree\n");
  child.kill("SIGINT");

  expect((await exit)[0]).toBe(130);
  expect(await text(child.stderr)).toBe("");
});

test.each([["SIGINT"], ["SIGKILL"]] as const)(
  "a put that ends by %s leaves the older version, and the path can be written",
  async (signal) => {
    await using storage = await openStorage(file);
    const stored = tableFiles(storage);
    await stored.write("/a", "old");

    const child = start(file, "put", "-", "/a");
    const end = ended(child);
    child.stdin.on("error", () => undefined).write(Buffer.alloc(8_000_000));
    // Blocks of it are stored by then.
    const isBegun = async (): Promise<boolean> => (await stored.versions("/a")).length > 1;
    while (!(await isBegun())) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill(signal);
    const { code, errors } = await end;

    expect(code).toBe(signal === "SIGKILL" ? null : 130);
    expect(errors).toMatch(signal === "SIGKILL" ? /^$/ : /^Stopped\. [^\n]*\n$/);
    expect(await (await stored.open("/a"))?.text()).toBe("old");
    expect(await (await stored.write("/a", "new")).text()).toBe("new");
  },
);

test.each([["cat", "/many/large"], ["ls"]])(
  "a reader that goes away early, as head does, is no error of %s",
  async (...args) => {
    {
      await using storage = await openStorage(file);
      const stored = tableFiles(storage);
      await stored.write("/many/large", Buffer.alloc(8_000_000, "x"));
      for (let i = 0; i < 30; i++) await stored.create(`/many/${i}`);
    }

    const child = start(file, ...args);
    child.stdin.end();
    child.stdout.once("data", () => child.stdout.destroy());
    const [errors, [code]] = await Promise.all([
      text(child.stderr),
      once(child, "exit") as Promise<[number | null]>,
    ]);

    expect(errors).toBe("");
    expect(code).toBe(0);
  },
);

test("a wrong call ends with 2, makes no file, and prints no key", async () => {
  const secret = `${azurite.connectionString}BadSetting`;

  for (const args of [
    ["ls", secret, "/a", "/b"],
    [file, "ls"],
  ]) {
    const { code, out, errors } = await files(...args);

    expect(out).toBe("");
    expect(errors).not.toContain("Eby8vdM02");
    expect(errors).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  }
  expect(await readdir(folder.path)).toStrictEqual([]);
});
