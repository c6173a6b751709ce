import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import type { StoredEntity } from "@partita/core/storage";
import { amountOf } from "@partita/test-support/effort";
import { describe, expect, test } from "vitest";
import { commandFolder, numbers, type Started } from "./command-folder.ts";

// Commands that are killed, stopped, or disturbed by other programs: no row is lost.

/** Enough that a command is still at work when it is killed. */
const total = amountOf({ short: 8000, full: 20_000, long: 20_000 });
const { pathOf, all, start, partita, rowsOf } = commandFolder(total);

/** Kills a command as soon as a condition holds. */
async function kill({ child, ended }: Started, when: () => boolean | Promise<boolean>): Promise<void> {
  while (child.exitCode === null && !(await when())) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGKILL");
  await ended;
}

/** Whether a table has at least one row that meets a condition. Another process may be creating it. */
const hasRow =
  (file: string, condition: (row: StoredEntity) => boolean = () => true) =>
  async (): Promise<boolean> => {
    if (!existsSync(pathOf(file))) return false;
    try {
      return (await rowsOf(file)).some(condition);
    } catch {
      return false;
    }
  };

const parts = (): readonly string[] => readdirSync(pathOf(".")).filter((name) => name.endsWith(".part"));

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
    const isComplete = existsSync(pathOf("output"));

    expect(isComplete ? { code: 0 } : await partita(...call)).toMatchObject({ code: 0 });

    expect(parts()).toEqual([]);
    expect(readFileSync(pathOf("output"), "utf8").match(/"n":/g)).toHaveLength(total);
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
  const held = new DatabaseSync(pathOf("tables.db"));
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

test("a module that never ends loading can be stopped", async () => {
  writeFileSync(
    pathOf("hangs.mjs"),
    "setInterval(() => {}, 1000); console.log('on'); await new Promise(() => {});",
  );
  const { child, ended } = start(["census", "hangs.mjs", "file:tables.db"]);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGINT");

  expect(await ended).toMatchObject({ code: 130, errors: "Stopped.\n" });
});
