import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { rowsOf as allRows } from "@partita/test-support/rows";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { main } from "../published.ts";

/** What a command printed and returned. */
interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** A command that was started. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

interface StartOptions {
  /** A file for its results. */
  readonly out?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Its input, which is empty by default. */
  readonly input?: "ignore" | "pipe";
}

/** A folder in which the published command works. */
interface CommandFolder {
  /** The path of a file in it. */
  readonly pathOf: (name: string) => string;
  /** The numbers of all rows, in order. */
  readonly all: readonly number[];
  readonly start: (args: readonly string[], options?: StartOptions) => Started;
  readonly partita: (...args: readonly string[]) => Promise<Ended>;
  readonly rowsOf: (file: string) => Promise<readonly StoredEntity[]>;
}

const partitions = 40;

/**
 * A folder for the tests of a file: `tables.db` has `total` numbered rows before each test, `rows.jsonl` and
 * `rows.backup` have the same.
 */
export function commandFolder(total: number): CommandFolder {
  let folder: TemporaryFolder;
  const all = Array.from({ length: total }, (_, n) => n);

  function start(args: readonly string[], { out, env, input = "ignore" }: StartOptions = {}): Started {
    const stdout = out === undefined ? "pipe" : openSync(out, "w");
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder.file("."),
      env: { ...process.env, ...env },
      stdio: [input, stdout, "pipe"],
    });
    // A reader that ends first has no complete text.
    const results = child.stdout === null ? Promise.resolve("") : text(child.stdout).catch(() => "");
    const ended = Promise.all([
      once(child, "close"),
      results,
      text(child.stderr as NodeJS.ReadableStream),
    ]).then(([[code], out, errors]) => ({ code: code as number | null, out, errors }));
    return { child, ended };
  }
  const partita = (...args: readonly string[]): Promise<Ended> => start(args).ended;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const line = (n: number): string =>
      JSON.stringify({
        PartitionKey: `p${n % partitions}`,
        RowKey: String(n).padStart(6, "0"),
        n,
        state: "old",
      });
    writeFileSync(folder.file("rows.jsonl"), all.map(line).join("\n"));
    expect(await partita("import", "file:original.db", "Rows", "rows.jsonl")).toMatchObject({ code: 0 });
    expect(await partita("backup", "file:original.db", "rows.backup")).toMatchObject({ code: 0 });
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  beforeEach(() => {
    for (const name of readdirSync(folder.file(".")))
      if (/^(?:tables|new|copy|output)/.test(name)) rmSync(folder.file(name));
    const original = new DatabaseSync(folder.file("original.db"));
    original.exec(`VACUUM INTO '${folder.file("tables.db")}'`);
    original.close();
  });

  return {
    pathOf: (name) => folder.file(name),
    all,
    start,
    partita,
    async rowsOf(file) {
      await using storage: TableStorage = await openStorage(`file:${folder.file(file)}`);
      return await allRows(storage, "Rows");
    },
  };
}

/** The numbers of rows, in order. */
export const numbers = (rows: readonly StoredEntity[]): readonly unknown[] =>
  rows.map((row) => row["n"]).toSorted((a, b) => Number(a) - Number(b));
