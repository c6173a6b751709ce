import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { forwardStorage } from "@partita/core/internal";
import { compareTables } from "@partita/transfer";
import { isFull } from "@partita/test-support/effort";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = join(import.meta.dirname, "../../../dist/main.js");
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A row of each EDM type, with values that differ by row. */
const rowOf = (partition: number, row: number): StoredEntity => ({
  PartitionKey: `P${partition}`,
  RowKey: String(row).padStart(4, "0"),
  Text: `ü ${row}\u0000`,
  Whole: row,
  Big: String(9_223_372_036_854_775_807n - BigInt(row)),
  "Big@odata.type": "Edm.Int64",
  Double: row,
  "Double@odata.type": "Edm.Double",
  Flag: row % 2 === 0,
  At: "9999-12-31T23:59:59.9999999Z",
  "At@odata.type": "Edm.DateTime",
  Id: "c9da6455-213d-42c9-9a79-3e9149a57833",
  "Id@odata.type": "Edm.Guid",
  Bytes: "AAH/",
  "Bytes@odata.type": "Edm.Binary",
});

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Rows");
  for (let partition = 0; partition < 30; partition++)
    await storage.transact(
      "Rows",
      Array.from({ length: 100 }, (_, row) => ({ type: "insert", entity: rowOf(partition, row) })),
    );
}

/** Kills a process at a request, counted from when the process was started. */
class Killer {
  #child: ChildProcess | undefined;
  #left = Infinity;
  #signal: NodeJS.Signals = "SIGKILL";

  arm(child: ChildProcess, requests: number, signal: NodeJS.Signals = "SIGKILL"): void {
    [this.#child, this.#left, this.#signal] = [child, requests, signal];
  }

  /** A storage whose requests are counted; pages are small, so that there are many. */
  watch(storage: TableStorage): TableStorage {
    return forwardStorage(storage, {
      query: (table, query, options) => {
        if (table === "Rows") this.#count();
        return storage.query(table, { ...query, top: 100 }, options);
      },
      transact: (table, operations, options) => {
        if (table === "Rows") this.#count();
        return storage.transact(table, operations, options);
      },
    });
  }

  #count(): void {
    if (--this.#left === 0) this.#child?.kill(this.#signal);
  }
}

test("a copy from a file over a table server to a file, killed again and again, has every row with its types", async () => {
  const [source, target] = [`file:${folder.file("source.db")}`, `file:${folder.file("target.db")}`];
  await using original = await openStorage(source);
  await fill(original);
  const killer = new Killer();
  await using server = await startTableServer({ storage: killer.watch(await openStorage("memory:")) });

  for (const [from, to] of [
    [source, server.connectionString],
    [server.connectionString, target],
  ] as const) {
    const copy = (...args: readonly string[]): ReturnType<typeof spawnCopy> => spawnCopy(from, to, ...args);
    for (const requests of isFull ? [1, 3, 2, 4, 3] : [2, 4]) {
      const { child, ended } = copy();
      killer.arm(child, requests);
      expect(await ended).toMatchObject({ signal: "SIGKILL" });
    }
    expect(await copy("--verify").ended).toMatchObject({
      code: 0,
      out: expect.stringContaining("3,000 rows, equal in both."),
      errors: "",
    });
  }

  await using arrived = await openStorage(target);
  const { isEqual, first, second } = await compareTables(original, arrived, "Rows");
  expect({ isEqual, first, second }).toEqual({ isEqual: true, first: 3000, second: 3000 });
});

test("a copy that is interrupted ends with 130 and says how it goes on", async () => {
  const source = `file:${folder.file("interrupted.db")}`;
  await using original = await openStorage(source);
  await fill(original);
  const killer = new Killer();
  await using server = await startTableServer({ storage: killer.watch(await openStorage("memory:")) });
  const { child, ended } = spawnCopy(source, server.connectionString);
  killer.arm(child, 2, "SIGINT");

  expect(await ended).toMatchObject({
    code: 130,
    errors: "Stopped. Copy Rows again. It continues where it stopped.\n",
  });
});

/** `partita copy` of the table, which has pages of few rows in its hands at once. */
function spawnCopy(
  from: string,
  to: string,
  ...args: readonly string[]
): {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; out: string; errors: string }>;
} {
  const child = spawn(
    process.execPath,
    [main, "copy", from, to, "Rows", "--claim-timeout", "1", "--concurrency", "2", ...args],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const read = async (): Promise<{
    code: number | null;
    signal: string | null;
    out: string;
    errors: string;
  }> => {
    const [[code, signal], out, errors] = await Promise.all([
      once(child, "exit") as Promise<[number | null, string | null]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, signal, out, errors };
  };
  return { child, ended: read() };
}
