import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { amountOf } from "@partita/test-support/effort";
import { randomNumbers } from "@partita/testing";
import { expect, test } from "vitest";
import { createTables, openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { jobsTable, type Position, JobRecord } from "../../../src/jobs/job-record.ts";
import { CountedOrder } from "./counted-order.ts";

const kills = amountOf({ short: 2, full: 4, long: 100 });
const total = 6000;
const pageSize = 1000;
/** Pages that one process is at together. */
const concurrency = 2;

const worker = join(import.meta.dirname, "worker-process.ts");
/** Where a worker dies: at its n-th request, before or after that is carried out; undefined for one that lives. */
interface Death {
  readonly request: number;
  readonly isCarriedOut: boolean;
}

const start = (path: string, death: Death | undefined): ChildProcess =>
  spawn(
    process.execPath,
    [
      "--conditions=@partita/source",
      worker,
      path,
      String(death?.request ?? 0),
      String(death?.isCarriedOut ?? false),
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );

/** Requests of a run that nobody disturbs, roughly; a worker that has fewer left comes through. */
const requestsOfRun = 110;
const random = randomNumbers(20_261_122);
const randomDeath = (): Death => ({
  request: 1 + Math.floor(random() * requestsOfRun),
  isCarriedOut: random() < 0.5,
});

async function fill(storage: TableStorage): Promise<void> {
  await createTables(storage, [CountedOrder]);
  for (let from = 0; from < total; from += 100)
    await storage.transact(
      "Orders",
      Array.from({ length: 100 }, (_, i) => ({
        type: "insert" as const,
        entity: {
          PartitionKey: String(from % 1200 === 0 ? 1 : 2).padStart(2, "0"),
          RowKey: String(from + i).padStart(5, "0"),
          Qty: from + i,
        },
      })),
    );
}

async function allRows(storage: TableStorage): Promise<StoredEntity[]> {
  const rows: StoredEntity[] = [];
  let after: Awaited<ReturnType<TableStorage["query"]>>["next"];
  do {
    const page = await storage.query("Orders", after === undefined ? {} : { after });
    rows.push(...page.entities);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

const isCurrent = (row: StoredEntity): boolean => row["SchemaVersion"] === 2;
const keyOf = ({ PartitionKey, RowKey }: StoredEntity): string => `${PartitionKey}\0${RowKey}`;

test.each([[1], [2]])(
  `%d worker(s), killed at random requests and started again, upgrade every row once`,
  async (workers) => {
    const folder = await mkdtemp(join(tmpdir(), "partita-kill-"));
    let left = kills;
    for (let round = 0; left > 0; round++) {
      const path = join(folder, `${round}.db`);
      await using storage = await openStorage(`file:${path}`, { durability: "normal" });
      await fill(storage);
      // Up to three runs are killed, the last one comes through.
      for (let run = 0, isDone = false; !isDone; run++) {
        const isLast = run === 3 || left === 0;
        const children = Array.from({ length: workers }, (_, i) => {
          // Of two workers, one may outlive the other.
          const dies = !isLast && (i === 0 || random() < 0.5);
          return start(path, dies ? randomDeath() : undefined);
        });
        const exits = await Promise.all(children.map((child) => once(child, "exit")));
        left -= exits.filter(([, signal]) => signal === "SIGKILL").length;
        expect(exits.every(([code, signal]) => code === 0 || signal === "SIGKILL")).toBe(true);
        isDone = exits.every(([code]) => code === 0);
        await checkHalf(storage, workers);
      }

      const rows = await allRows(storage);
      expect(rows).toHaveLength(total);
      expect(rows.filter((row) => !isCurrent(row))).toEqual([]);
      expect(rows.filter((row) => row["Amount"] !== Number(row.RowKey) + 1)).toEqual([]);
      expect(rows.filter((row) => row["Qty"] !== undefined)).toEqual([]);
    }
    await rm(folder, { recursive: true, force: true });
  },
);

/** No row is half upgraded, and what is not done behind the cursor is in a page that somebody was at. */
async function checkHalf(storage: TableStorage, workers: number): Promise<void> {
  const rows = await allRows(storage);
  expect(rows).toHaveLength(total);
  for (const row of rows)
    if (isCurrent(row) === (row["Qty"] !== undefined)) throw new Error(`${keyOf(row)} is half upgraded.`);
  if (!(await storage.listTables()).includes(jobsTable)) return;
  const job = new JobRecord(storage, "kill", {});
  const { after, isAtEnd } = await job.open();
  const claims = await job.claims();
  const textOf = (position: Position): string =>
    "token" in position ? position.token : `${position.partitionKey}\0${position.rowKey}`;
  const isBefore = (row: StoredEntity): boolean =>
    isAtEnd || (after !== undefined && keyOf(row) <= textOf(after));
  const isClaimed = (row: StoredEntity): boolean =>
    claims.some(
      ({ from, to }) =>
        (from === undefined || keyOf(row) > textOf(from)) && (to === undefined || keyOf(row) <= textOf(to)),
    );
  const behind = rows.filter((row) => isBefore(row) && !isCurrent(row));
  expect(behind.filter((row) => !isClaimed(row))).toEqual([]);
  expect(behind.length).toBeLessThanOrEqual(workers * concurrency * pageSize * 2);
}
