import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { rowsOf as allRows } from "@partita/test-support/rows";
import { amountOf } from "@partita/test-support/effort";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { main } from "./published.ts";

/*
 * Fifteen ways to break the command line. In each of them, no row is lost, and the command ends with a sentence and the
 * code of the guide.
 */

let folder: TemporaryFolder;
/** Enough that a command is still at work when it is killed. */
const total = amountOf({ short: 8000, full: 20_000, long: 20_000 });
const partitions = 40;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the published command. @param out - a file for its results; @param input - its input, which is empty by default */
function start(
  args: readonly string[],
  { out, env, input = "ignore" }: { out?: string; env?: NodeJS.ProcessEnv; input?: "ignore" | "pipe" } = {},
): Started {
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

/** Kills a command as soon as a condition holds. */
async function kill({ child, ended }: Started, when: () => boolean | Promise<boolean>): Promise<void> {
  while (child.exitCode === null && !(await when())) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGKILL");
  await ended;
}

async function rowsOf(file: string): Promise<readonly StoredEntity[]> {
  await using storage: TableStorage = await openStorage(`file:${folder.file(file)}`);
  return await allRows(storage, "Rows");
}

/** Whether a table has at least one row that meets a condition. Another process may be creating it. */
const hasRow =
  (file: string, condition: (row: StoredEntity) => boolean = () => true) =>
  async (): Promise<boolean> => {
    if (!existsSync(folder.file(file))) return false;
    try {
      return (await rowsOf(file)).some(condition);
    } catch {
      return false;
    }
  };

const numbers = (rows: readonly StoredEntity[]): readonly unknown[] =>
  rows.map((row) => row["n"]).toSorted((a, b) => Number(a) - Number(b));
const all = Array.from({ length: total }, (_, n) => n);
const parts = (): readonly string[] => readdirSync(folder.file(".")).filter((name) => name.endsWith(".part"));

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

beforeEach(async () => {
  for (const name of readdirSync(folder.file(".")))
    if (/^(?:tables|new|copy|output)/.test(name)) rmSync(folder.file(name));
  const original = new DatabaseSync(folder.file("original.db"));
  original.exec(`VACUUM INTO '${folder.file("tables.db")}'`);
  original.close();
});

describe("killed by SIGKILL, a command leaves nothing half-done, and a second call completes it", () => {
  test("import", async () => {
    const call = ["import", "file:new.db", "Rows", "rows.jsonl"];
    await kill(start(call), hasRow("new.db"));

    expect(await partita(...call, "--existing", "replace")).toMatchObject({ code: 0, errors: "" });

    expect(numbers(await rowsOf("new.db"))).toEqual(all);
  });

  test("copy", async () => {
    const call = ["copy", "file:tables.db", "file:copy.db", "Rows", "--claim-timeout", "1", "--verify"];
    await kill(start(call), hasRow("copy.db"));

    expect(await partita(...call)).toMatchObject({ code: 0, out: expect.stringContaining("equal in both") });
  });

  test.each(["export", "backup"])("%s", async (command) => {
    const call =
      command === "export"
        ? [command, "file:tables.db", "Rows", "-o", "output"]
        : [command, "file:tables.db", "output"];
    await kill(start(call), () => parts().length > 0);
    const isComplete = existsSync(folder.file("output"));

    expect(isComplete ? { code: 0 } : await partita(...call)).toMatchObject({ code: 0 });

    expect(parts()).toEqual([]);
    expect(readFileSync(folder.file("output"), "utf8").match(/"n":/g)).toHaveLength(total);
  });

  test("restore", async () => {
    const call = ["restore", "file:new.db", "rows.backup", "--existing", "replace"];
    await kill(start(call), hasRow("new.db"));

    expect(await partita(...call)).toMatchObject({ code: 0 });

    expect(numbers(await rowsOf("new.db"))).toEqual(all);
  });

  test("set", async () => {
    const call = [
      "set",
      "file:tables.db",
      "Rows",
      "state=new",
      "--filter",
      "state eq 'old'",
      "--scan",
      "--yes",
    ];
    await kill(
      start(call),
      hasRow("tables.db", ({ state }) => state === "new"),
    );
    const between = (await rowsOf("tables.db")).filter(({ state }) => state === "old").length;

    expect(await partita(...call)).toMatchObject({
      code: 0,
      out: `Rows: ${between.toLocaleString("en")} rows changed.\n`,
    });

    const rows = await rowsOf("tables.db");
    expect(numbers(rows)).toEqual(all);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["new"]));
  });

  test("rm", async () => {
    const call = ["rm", "file:tables.db", "Rows", "--filter", "n ge 5", "--scan", "--yes"];
    await kill(start(call), async () => (await rowsOf("tables.db")).length < total);
    const between = (await rowsOf("tables.db")).length - 5;

    expect(await partita(...call)).toMatchObject({
      code: 0,
      out: `Rows: ${between.toLocaleString("en")} rows deleted.\n`,
    });

    expect(numbers(await rowsOf("tables.db"))).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("stopped by SIGINT", () => {
  test("rm reports the rows that it deleted, and a second SIGINT ends it immediately", async () => {
    const call = ["rm", "file:tables.db", "Rows", "--filter", "n ge 5", "--scan", "--yes"];
    const { child, ended } = start(call);
    while (child.exitCode === null && (await rowsOf("tables.db")).length === total);
    child.kill("SIGINT");
    const { code, out, errors } = await ended;
    const left = (await rowsOf("tables.db")).length;

    // It may have been done already.
    const deleted = (total - left).toLocaleString("en");
    expect([130, 0]).toContain(code);
    expect(`${errors}${out}`).toMatch(
      code === 130
        ? new RegExp(
            `\\nStopped\\. ${deleted} rows were deleted\\. Run the command again for the others\\.\\n`,
          )
        : new RegExp(`${deleted} rows deleted`),
    );

    // It waits for its input, which doesn't end.
    const waiting = start(["import", "file:new.db", "Rows", "-"], { input: "pipe" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    waiting.child.kill("SIGINT");
    waiting.child.kill("SIGINT");
    // Before it has a handler, the first signal ends it without a code.
    expect([130, null]).toContain((await waiting.ended).code);
    expect(numbers(await rowsOf("original.db"))).toEqual(all);
  });
});

describe("a disk that is full is a sentence", () => {
  test.each([
    ["query", "file:tables.db", "Rows", "--scan"],
    ["export", "file:tables.db", "Rows"],
    ["backup", "file:tables.db", "-"],
    ["completions", "bash"],
  ])("%s", async (...args) => {
    expect(await start(args, { out: "/dev/full" }).ended).toMatchObject({
      code: 1,
      errors: "The disk is full. Free some space, and run the command again.\n",
    });
  });
});

test.each([
  ["query", "file:tables.db", "Rows", "--scan"],
  ["export", "file:tables.db", "Rows"],
  ["backup", "file:tables.db", "-"],
])("%s into a pipe that closes ends quietly", async (...args) => {
  const { child, ended } = start(args);
  child.stdout?.once("data", () => child.stdout?.destroy());

  expect(await ended).toMatchObject({ code: 0, errors: "" });
});

test("two imports of one file at the same time store each row once", async () => {
  const call = ["import", "file:new.db", "Rows", "rows.jsonl", "--existing", "replace"];

  const ended = await Promise.all([partita(...call), partita(...call)]);

  expect(ended.map(({ code, errors }) => [code, errors])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(numbers(await rowsOf("new.db"))).toEqual(all);
});

test("a database that another process locks is reported, and is unchanged", async () => {
  const held = new DatabaseSync(folder.file("tables.db"));
  held.exec("BEGIN EXCLUSIVE");
  const ended = await partita("put", "file:tables.db", "Rows", '{"PartitionKey":"x","RowKey":"1"}');
  held.exec("ROLLBACK");
  held.close();

  expect(ended).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /^storage\.server-busy: tables\.db is locked by another process\. Close that program/,
    ),
  });
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});

test.each([
  [100, /does not start|is damaged/],
  [
    200_000,
    /^cut\.backup is damaged: its end is missing, so it was truncated or never finished\. Use another backup\.\n$/,
  ],
])("a backup that was cut after %i bytes is refused before anything is written", async (length, message) => {
  writeFileSync(folder.file("cut.backup"), readFileSync(folder.file("rows.backup")));
  truncateSync(folder.file("cut.backup"), length);

  const { code, errors } = await partita("restore", "file:new.db", "cut.backup");

  expect(errors).toMatch(message);
  expect(code).toBe(1);
  expect(existsSync(folder.file("new.db"))).toBe(false);
});

test("a file that is not UTF-8 is refused at its line", async () => {
  writeFileSync(
    folder.file("latin.jsonl"),
    Buffer.from('{"PartitionKey":"a","RowKey":"1","t":"\xe9"}\n', "latin1"),
  );

  expect(
    await partita("import", "file:tables.db", "Rows", "latin.jsonl", "--existing", "replace"),
  ).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /^transfer\.text: The file cannot be read from line 1 on: it is not UTF-8\./,
    ),
  });
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});

test.each([
  [
    "nonsense-secret",
    /^The environment variable PARTITA_STORAGE does not contain a storage, such as file:path\.db/,
  ],
  ["env:PARTITA_STORAGE", /^The environment variable PARTITA_STORAGE does not contain a storage, /],
  ["what:is-this-secret", /^storage\.unknown-target: /],
  ["file:none.db", /^There is no none\.db\.\n$/],
])("PARTITA_STORAGE=%s is refused without its value", async (value, message) => {
  const { code, errors } = await start(["count", "Rows"], { env: { PARTITA_STORAGE: value } }).ended;

  expect(errors).toMatch(message);
  expect(errors).not.toContain("secret");
  expect(code).toBe(2);
});

test.each([
  [
    "throw new TypeError('x is no function');",
    /^bad\.mjs threw TypeError while it was loaded: x is no function\n$/,
  ],
  ["throw 'secret';", /^bad\.mjs threw string while it was loaded\.\n$/],
  [
    "await new Promise(() => {});",
    /^bad\.mjs never ends loading: it awaits a promise that nothing settles\.\n$/,
  ],
  ["import './none.mjs';", /^Cannot find module .*none\.mjs' imported from .*bad\.mjs\n$/],
  ["export const a = 1;", /^bad\.mjs exports no entity classes\./],
  ["export const a = ;", /^Node cannot run bad\.mjs, or a module that it imports: /],
])("a module with %j is a sentence", async (source, message) => {
  writeFileSync(folder.file("bad.mjs"), source);

  const { code, errors } = await partita("census", "bad.mjs", "file:tables.db");

  expect(errors).toMatch(message);
  expect(code).toBe(1);
});

test("a module that never ends loading can be stopped", async () => {
  writeFileSync(
    folder.file("hangs.mjs"),
    "setInterval(() => {}, 1000); console.log('on'); await new Promise(() => {});",
  );
  const { child, ended } = start(["census", "hangs.mjs", "file:tables.db"]);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGINT");

  expect(await ended).toMatchObject({ code: 130, errors: "Stopped.\n" });
});

test("a table is found under its name in any case, and keys may start with a hyphen", async () => {
  const row = '{"PartitionKey":"-a","RowKey":"--force"}';

  expect(await partita("put", "file:tables.db", "rOWS", row)).toMatchObject({ code: 0 });
  expect(await partita("get", "file:tables.db", "ROWS", "--", "-a", "--force")).toMatchObject({ code: 0 });
  expect(await partita("rm", "file:tables.db", "ROWS", "-a", "--force")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("unknown option '-a'"),
  });
  expect(await partita("rm", "file:tables.db", "ROWS", "--force", "--", "-a", "--force")).toMatchObject({
    code: 0,
  });
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});

test.each([
  ["text", "not a database", 16, /^storage\.not-a-database: tables\.db is not a database/],
  ["the first half of a database", undefined, 100_000, /^storage\.damaged: tables\.db is damaged\./],
])("a storage that is %s is refused and not changed", async (_what, content, length, message) => {
  if (content !== undefined) writeFileSync(folder.file("tables.db"), content);
  else truncateSync(folder.file("tables.db"), length);
  const before = readFileSync(folder.file("tables.db"));

  for (const args of [["tables"], ["count"], ["put"], ["import"]]) {
    const rest = {
      count: ["Rows"],
      put: ["Rows", '{"PartitionKey":"a","RowKey":"1"}'],
      import: ["Rows", "rows.jsonl", "--existing", "replace"],
    };
    const [command = ""] = args;
    const { code, errors } = await partita(command, "file:tables.db", ...(rest[command as "put"] ?? []));
    expect(errors).toMatch(message);
    expect(code).toBe(1);
  }
  expect(readFileSync(folder.file("tables.db")).equals(before)).toBe(true);
});

test.each([
  [["export", "file:tables.db", "Rows", "-o", "tables.db", "--force"]],
  [["backup", "file:tables.db", "tables.db", "--force"]],
  [["generate", "file:tables.db", "-o", "tables.db", "--force"]],
  [["copy", "file:tables.db", "file:tables.db", "Rows"]],
  [["copy", "file:tables.db", "file:./tables.db", "Rows"]],
  [["export", "file:tables.db", "Rows", "-o", "."]],
])("%j, whose output is its input or a folder, is refused", async (args) => {
  const { code, errors } = await partita(...args);

  expect(errors).toMatch(/is never replaced|onto itself|is a folder/);
  expect(code).toBe(2);
  expect(numbers(await rowsOf("tables.db"))).toEqual(all);
});
