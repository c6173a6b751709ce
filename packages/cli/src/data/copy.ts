import { realpathSync } from "node:fs";
import type { TableStorage } from "@partita/core";
import type { CopyTableOptions, ExistingRows } from "@partita/transfer";
import type { Limits } from "../commands/shared.ts";
import { openIfThere, openTarget } from "../storage/open-target.ts";
import { retryRead } from "../storage/retry-read.ts";
import { printable, printableKey } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { countRows } from "./list-tables.ts";
import { listed, printUnwritten } from "./print-report.ts";
import { existingAdvice } from "../session/command-words.ts";
import { CommandError, inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";

/** Options as given. */
interface CopyOptions extends Limits {
  readonly existing?: ExistingRows;
  readonly all?: boolean;
  readonly as?: string;
  readonly verify?: boolean;
  readonly claimTimeout?: number;
  readonly dryRun?: boolean;
}

/** The source and the target of a copy, and its options. */
interface Copying {
  readonly from: TableStorage;
  readonly to: TableStorage;
  readonly options: CopyOptions;
  readonly how: CopyTableOptions;
}

/**
 * `partita copy`: copies tables between storages. Returns the exit code: 1 if rows were left out or differ.
 */
export function copy(args: readonly string[], options: CopyOptions): Promise<number> {
  const [source = "", target = "", ...named] = args;
  checkTables(named, options);
  const { as, existing, rate, concurrency, claimTimeout } = options;
  const how: CopyTableOptions = {
    as,
    existing,
    rate,
    concurrency,
    claimTimeoutMs: claimTimeout === undefined ? undefined : claimTimeout * 1000,
    // With all tables, the tables of queues are copied too.
    transactionRows: options.all === true ? "keep" : "omit",
  };
  let left: readonly string[] = named;
  return inSession(
    async (session) => {
      await using from = await openTarget(source);
      const tables = options.all === true ? await tablesOf(from, session) : named;
      const { dryRun = false } = options;
      await using to = dryRun ? await openIfThere(target) : await openTarget(target, { mayCreate: true });
      if (to === undefined) return await wouldCopy(from, tables, session);
      const copying = { from, to, options, how };
      checkApart(from, to, tables, options);
      const ended = await checkTargets(tables, copying);
      if (dryRun)
        return await wouldCopy(
          from,
          tables.filter((table) => !ended.has(table)),
          session,
        );
      let code = 0;
      for (const [at, table] of tables.entries()) {
        left = tables.slice(at);
        if (ended.has(table)) await session.out.line(`${printable(table)}: copied before, left unchanged.`);
        else code = Math.max(code, await copyOne(table, copying, session));
        if (options.verify === true && !(await verifyOne(table, copying, session))) code = 1;
      }
      return code;
    },
    () => `Copy ${left.length === 0 ? "again" : `${left.join(" ")} again`}. It continues where it stopped.`,
  );
}

/**
 * With `--existing refuse`, checks all tables of the target before anything is written.
 *
 * @returns the tables that a copy which was stopped has copied completely
 * @throws CommandError for tables that have rows
 */
async function checkTargets(
  tables: readonly string[],
  { from, to, options: { existing = "refuse" }, how }: Copying,
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  if (existing !== "refuse") return ended;
  const { copyState } = await import("@partita/transfer");
  for (const table of tables) {
    const state = await copyState(from, to, table, how);
    const name = printable(how.as ?? table);
    if (state === "other")
      throw new CommandError(`${name} already has rows. Nothing was copied. ${existingAdvice}`);
    if (state === "ended") ended.add(table);
  }
  if (ended.size > 0 && ended.size === tables.length)
    throw new CommandError(
      `${[...ended].map(printable).join(", ")}: an earlier copy has ended. Nothing was copied. ${existingAdvice}`,
    );
  return ended;
}

/** @throws UsageError */
function checkTables(named: readonly string[], { all = false, as }: CopyOptions): void {
  if (all === named.length > 0)
    throw new UsageError(
      "partita copy needs the names of tables, or --all: partita copy prod file:copy.db Blogs",
    );
  if (as !== undefined && named.length !== 1)
    throw new UsageError("--as is the new name of one table. Name one table.");
}

/**
 * A storage may be opened twice, under two names.
 *
 * @throws UsageError if a table would be copied onto itself
 */
function checkApart(
  from: TableStorage,
  to: TableStorage,
  tables: readonly string[],
  { as }: CopyOptions,
): void {
  const onto = tables.find((table) => (as ?? table).toLowerCase() === table.toLowerCase());
  if (onto !== undefined && isSame(from.description, to.description))
    throw new UsageError(
      `${onto} would be copied onto itself. Name another storage, or another table with --as.`,
    );
}

/** Whether two descriptions refer to the same storage. A file may have several names. */
function isSame(first: string, second: string): boolean {
  const [one, other] = [first, second].map((description) =>
    description.startsWith(fileScheme) ? realpathSync(description.slice(fileScheme.length)) : description,
  );
  return one === other;
}

const fileScheme = "file:";

/**
 * All tables except those of jobs and of the states of indexes. The state of an index is only true for the
 * storage that it was built in.
 */
export async function tablesOf(storage: TableStorage, { signal }: Session): Promise<readonly string[]> {
  const { internalTables } = await import("@partita/core/internal");
  const names = await retryRead(() => storage.listTables({ signal }), signal);
  const left = [internalTables.jobs, internalTables.schema].map((name) => name.toLowerCase());
  return names.filter((name) => !left.includes(name.toLowerCase()));
}

async function wouldCopy(from: TableStorage, tables: readonly string[], session: Session): Promise<number> {
  for (const table of tables) {
    const rows = await countRows(from, table, undefined, session);
    await session.out.line(`${printable(table)}: ${counted(rows, "row")} would be copied.`);
  }
  return 0;
}

async function copyOne(table: string, { from, to, how }: Copying, session: Session): Promise<number> {
  const { out, bar, say, signal } = session;
  const { copyTable } = await import("@partita/transfer");
  const report = await copyTable(from, to, table, {
    ...how,
    signal,
    onProgress: (progress) =>
      bar.say(
        `${table}  ${progress.read.toLocaleString("en")} rows read, ${progress.written.toLocaleString("en")} written`,
      ),
  });
  bar.end();
  const { read, written, skipped, refused } = report;
  const done = listed([written, "written"], [skipped, "skipped"], [refused, "refused"]);
  await out.line(`${printable(table)}: ${counted(read, "row")} read, ${done}.`);
  printUnwritten(report, say);
  return refused === 0 ? 0 : 1;
}

/** Compares the copy with the table and prints the rows that differ. */
async function verifyOne(
  table: string,
  { from, to, options: { as }, how: { transactionRows } }: Copying,
  { out, bar, say, signal }: Session,
): Promise<boolean> {
  const { compareTables } = await import("@partita/transfer");
  const { first, second, isEqual, differences } = await compareTables(from, to, table, {
    as,
    transactionRows,
    signal,
    onProgress: (rows) => bar.say(`${table}  ${rows.toLocaleString("en")} rows compared`),
  });
  bar.end();
  await out.line(
    isEqual
      ? `${printable(table)}: ${counted(first, "row")}, equal in both.`
      : `${printable(table)}: ${counted(first, "row")} in the first, ${second.toLocaleString("en")} in the second, and not equal.`,
  );
  for (const { key, found } of differences.slice(0, mostShown)) say(`  ${found}: ${printableKey(key)}`);
  if (differences.length > mostShown)
    say(`  and ${(differences.length - mostShown).toLocaleString("en")} more`);
  return isEqual;
}

const mostShown = 20;
