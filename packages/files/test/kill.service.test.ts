import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openStorage } from "@partita/core";
import { isFull, isLong } from "@partita/test-support/effort";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tableFiles } from "../src/index.ts";

const program = join(import.meta.dirname, "kill-process.ts");

let code: TemporaryFolder;
beforeAll(async () => void (code = await temporaryFolder()));
afterAll(() => code[Symbol.asyncDispose]());

/** What a process does, and at which of its requests it dies. */
interface Life {
  readonly work: "write" | "move" | "reclaim";
  readonly request?: number;
  readonly isCarriedOut?: boolean;
  /** How far ahead its clock is, in days. */
  readonly daysLater?: number;
  /** Whether its files are stored with their names. */
  readonly isSmall?: boolean;
}

/** @returns whether it was killed */
async function live(
  file: string,
  { work, request = 0, isCarriedOut = false, daysLater = 0, isSmall = false }: Life,
): Promise<boolean> {
  const args = [file, work, request, isCarriedOut, daysLater, isSmall].map(String);
  const child = spawn(process.execPath, ["--conditions=@partita/source", program, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    // Most of its life would be reading the sources.
    env: { ...process.env, NODE_COMPILE_CACHE: code.file("code") },
  });
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(exitCode === 0 || signal === "SIGKILL").toBe(true);
  return signal === "SIGKILL";
}

const old = "old ".repeat(20_000);
const fresh = "new ".repeat(50_000);

/** A killed piece of work on a file that is there, what may be seen then, and what is left after everything is reclaimed. */
async function killAndReclaim(
  life: Life,
  check: (texts: readonly (string | undefined)[]) => void,
): Promise<boolean> {
  await using folder = await temporaryFolder();
  const path = folder.file("files.db");
  await using storage = await openStorage(`file:${path}`);
  const { isSmall = false } = life;
  const sizes = isSmall ? { blockSize: 20_000, smallFileBytes: 1_000_000 } : { blockSize: 1000 };
  const files = tableFiles(storage, { name: "Docs", ...sizes, zones: { "/": { keepDeletedMs: 0 } } });
  await files.write("/a", old);
  if (life.work === "reclaim") {
    await files.write("/a", fresh);
    await files.write("/c", old);
    await files.delete("/c");
  }
  const isKilled = await live(path, life);

  const texts = async (): Promise<(string | undefined)[]> =>
    Promise.all(["/a", "/b"].map(async (name) => (await files.open(name))?.text()));
  check(await texts());
  // Once more, by one that lives: then it is done. A move that was done has nothing to move.
  if (life.work === "write") await live(path, { work: "write", isSmall });
  if (life.work === "move" && (await files.open("/a")) !== undefined)
    await live(path, { work: "move", isSmall });
  // The first goes on where the killed one was.
  for (let i = 0; i < 2; i++) await live(path, { work: "reclaim", daysLater: 2, isSmall });

  const after = { write: [fresh, undefined], move: [undefined, old], reclaim: [fresh, undefined] }[life.work];
  expect(await texts()).toEqual(after);
  const owners = new Set<string>();
  for await (const { path: name, version } of files.list())
    owners.add(`.~${name.slice(1)}!${String(version).padStart(10, "0")}`);
  const blocks = (await storage.query("DocsBlocks", {})).entities.map(({ PartitionKey }) => PartitionKey);
  const names = (await storage.query("DocsFiles", {})).entities;
  for (const { RowKey } of names)
    if (RowKey.startsWith("block!")) blocks.push(RowKey.split("!", 3).slice(1).join("!"));
  expect(new Set(blocks)).toEqual(owners);
  const states = names.flatMap((row) => row["State"] ?? []);
  expect(new Set(states)).toEqual(new Set(["current"]));
  return isKilled;
}

/** Requests of each piece of work that are tried, and whether the last one is carried out. */
const points = isLong
  ? Array.from({ length: 17 }, (_, i) => [1 + i, i % 2 === 0] as const).concat(
      Array.from({ length: 17 }, (_, i) => [1 + i, i % 2 === 1] as const),
    )
  : ([[4, true], [6, false], ...(isFull ? ([[8, true]] as const) : [])] as const);

test.each(points)(
  "a write that is killed at request %d, carried out: %s, is seen whole or not at all",
  async (request, isCarriedOut) => {
    await killAndReclaim({ work: "write", request, isCarriedOut }, ([text]) =>
      expect([old, fresh]).toContain(text),
    );
  },
);

test.each([
  [2, true],
  [3, false],
  [3, true],
] as const)(
  "a write of a small file that is killed at request %d, carried out: %s, is seen whole or not at all",
  async (request, isCarriedOut) => {
    const isKilled = await killAndReclaim({ work: "write", request, isCarriedOut, isSmall: true }, ([text]) =>
      expect(text).toBe(request === 3 && isCarriedOut ? fresh : old),
    );
    expect(isKilled).toBe(true);
  },
);

test.each([
  [5, true],
  [7, false],
] as const)(
  "a move of a small file that is killed at request %d, carried out: %s, leaves both or one, never none",
  async (request, isCarriedOut) => {
    const isKilled = await killAndReclaim(
      { work: "move", request, isCarriedOut, isSmall: true },
      ([a, b]) => {
        expect([a, b]).toContain(old);
        for (const text of [a, b]) expect([old, undefined]).toContain(text);
      },
    );
    expect(isKilled).toBe(true);
  },
);

test.each(points)(
  "a move that is killed at request %d, carried out: %s, leaves both or one, never none",
  async (request, isCarriedOut) => {
    await killAndReclaim({ work: "move", request, isCarriedOut }, ([a, b]) => {
      expect([a, b]).toContain(old);
      for (const text of [a, b]) expect([old, undefined]).toContain(text);
    });
  },
);

test.each(points)(
  "a reclaim that is killed at request %d, carried out: %s, is ended by the next one",
  async (request, isCarriedOut) => {
    const life = { work: "reclaim", request: 2 * request, isCarriedOut, daysLater: 2 } as const;
    await killAndReclaim(life, ([text]) => expect(text).toBe(fresh));
  },
);
