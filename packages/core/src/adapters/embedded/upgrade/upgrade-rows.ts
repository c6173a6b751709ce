import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { retryWhileBusy } from "../busy-retry.ts";
import { inTransaction } from "../in-transaction.ts";
import { checksumOf, checksumOfText } from "../row-checksum.ts";
import { rowsOf, sumMask, tableNames } from "../schema.ts";
import { isBusy, isOfContent } from "../sqlite-errors.ts";
import { progressTable } from "./upgrade-format.ts";

/** Rows of a step, and bytes of their text: some milliseconds of work. */
const maxRows = 500;
const maxBytes = 512 * 1024;
/** Between two steps, in milliseconds: others find the file free then. */
const pauseMs = 2;

/**
 * Makes bytes of the text of all rows that a file of an older format has left, each step in a transaction of its own. A
 * process that ends in between leaves rows of both forms, which all can be read; whoever opens the file next goes on. So
 * does another process that opens it meanwhile, and a file that stays locked is left as it is.
 */
export async function upgradeRows(database: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  if (!isUpgrading(database)) return;
  try {
    while (await retryWhileBusy(() => step(database), busyTimeoutMs)) await delay(pauseMs);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

const isUpgrading = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(progressTable) !==
  undefined;

/** Where a table is: the number of the last row that was passed; null before the first. */
interface Progress {
  readonly id: number;
  readonly passed: bigint | null;
}

/** One step, of one table; false when there is none left. */
function step(database: DatabaseSync): boolean {
  let table: Progress | undefined;
  try {
    return inTransaction(database, "BEGIN IMMEDIATE", () => {
      // Another process may have done the last one.
      if (!isUpgrading(database)) return false;
      table = nextTable(database);
      if (table === undefined) database.exec(`DROP TABLE ${progressTable}`);
      else upgradeSome(database, table);
      return table !== undefined;
    });
  } catch (error) {
    if (table === undefined || !isOfContent(error)) throw error;
    // Damaged pages keep SQLite from going on in this table. What can be read of it can be read as it is.
    const { id } = table;
    inTransaction(database, "BEGIN IMMEDIATE", () => endTable(database, id));
    return true;
  }
}

/** The next table that has rows left, and was not deleted meanwhile. */
function nextTable(database: DatabaseSync): Progress | undefined {
  const sql = `SELECT id, passed FROM ${progressTable} WHERE id IN (SELECT id FROM ${tableNames}) ORDER BY id LIMIT 1`;
  const found = reading(database, sql).get() as unknown as [bigint, bigint | null] | undefined;
  return found && { id: Number(found[0]), passed: found[1] };
}

function endTable(database: DatabaseSync, id: number): void {
  if (isUpgrading(database)) database.prepare(`DELETE FROM ${progressTable} WHERE id = ?`).run(id);
}

function upgradeSome(database: DatabaseSync, table: Progress): void {
  const rows = nextRows(database, table);
  const last = rows.at(-1);
  if (last === undefined) return endTable(database, table.id);
  const update = database.prepare(
    `UPDATE ${rowsOf(table.id)} SET body = CAST(? AS BLOB), crc = ? WHERE id = ?`,
  );
  let sum = 0;
  for (const [id, ...columns] of rows) {
    const row = wholeRow(columns);
    // A damaged row stays as it is, with the checksum that shows it.
    if (row === undefined) continue;
    const checksum = checksumOf(row.pk, row.rk, row.ts, row.text, row.ahead);
    update.run(row.text, checksum, id);
    sum += checksum - row.checksum;
  }
  database
    .prepare(`UPDATE state SET sum = (sum + CAST(? AS INTEGER)) & ${sumMask} WHERE id = ?`)
    .run(sum, table.id);
  database.prepare(`UPDATE ${progressTable} SET passed = ? WHERE id = ?`).run(last[0], table.id);
}

/** A row by its number. Its columns may be damaged, and hold anything. */
type FoundRow = readonly [id: bigint, ...columns: unknown[]];

/** The rows that come next, one at least. */
function nextRows(database: DatabaseSync, { id, passed }: Progress): FoundRow[] {
  const behind = passed === null ? "" : "WHERE id > ?";
  const sql = `SELECT id, pk, rk, ts, body, crc, ahead FROM ${rowsOf(id)} NOT INDEXED ${behind} ORDER BY id LIMIT ${maxRows}`;
  const found = reading(database, sql).iterate(...(passed === null ? [] : [passed]));
  const rows: FoundRow[] = [];
  let bytes = 0;
  for (const row of found as unknown as Iterable<FoundRow>) {
    rows.push(row);
    bytes += typeof row[4] === "string" ? row[4].length : 0;
    if (bytes >= maxBytes) break;
  }
  return rows;
}

interface WholeRow {
  readonly pk: string;
  readonly rk: string;
  readonly ts: number;
  readonly text: string;
  readonly checksum: number;
  readonly ahead: number;
}

/** A row whose text is what was written; undefined for another, and for one that was brought along before. */
function wholeRow([pk, rk, ts, text, checksum, ahead]: readonly unknown[]): WholeRow | undefined {
  if (typeof pk !== "string" || typeof rk !== "string" || typeof text !== "string") return undefined;
  if (typeof ts !== "bigint" || typeof checksum !== "bigint" || typeof ahead !== "bigint") return undefined;
  const row = { pk, rk, ts: Number(ts), text, checksum: Number(checksum), ahead: Number(ahead) };
  return checksumOfText(pk, rk, row.ts, text, row.ahead) === row.checksum ? row : undefined;
}

/** A statement whose numbers are exact, also where they are larger than those of JavaScript. */
function reading(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement;
}
