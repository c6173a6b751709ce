// `write-queue.ts` calls this file within a commit. It reads the rows that a group of operations changes, checks
// their conditions as the service does, and writes the new rows with versions, checksums and totals.

import { StorageError } from "../../values/errors/storage-error.ts";
import { checkSize } from "../../storage/check-write.ts";
import type { PreparedOperation } from "./prepare-operation.ts";
import { type Body, byteLengthOf, columnOf, lengthOf, shapeOf, withMembers } from "./row-body.ts";
import { checksumAfter, checksumOf } from "./row-checksum.ts";
import { rowsOf, sumMask } from "./schema.ts";
import { checkRow, DamagedRow } from "./stored-row.ts";
import type { Statements, StoredTable } from "./table-statements.ts";

/** The version of a written row, and its offset from the current time, both in microseconds. */
export interface RowVersion {
  readonly micros: number;
  readonly ahead: number;
}

/**
 * A stored row that an operation changes: the operation's position in its list, and columns. The body is read for
 * merges; for empty merges, only its length in bytes.
 */
export type FoundRow = readonly [
  at: number,
  id: number,
  ts: number,
  crc: unknown,
  ahead: number,
  body: Body | number | undefined,
];

/** Applies prepared operations to one table's rows, inside the caller's transaction. */
export class RowWriter {
  /** The last version assigned to a row of the table, in microseconds since 1970. */
  version = 0;
  #storedVersion = 0;
  /** How many rows this commit adds to the table, and the change of the sum of their checksums. */
  readonly totals: Totals = { rows: 0, sum: 0 };
  readonly #statements: Statements;
  readonly #table: StoredTable;
  /** Created once: printing the SQL takes as long as finding its statement. */
  readonly #sql: ReturnType<typeof sqlOf>;

  constructor(statements: Statements, table: StoredTable) {
    this.#statements = statements;
    this.#sql = sqlOf(rowsOf(table.id));
    this.#table = table;
  }

  /** Begins a commit. @param version - the table's last stored one */
  begin(version: number): void {
    this.version = version;
    this.#storedVersion = version;
    this.totals.rows = 0;
    this.totals.sum = 0;
  }

  /** Reads the rows that operations of one partition change; each result is at the index of its operation. */
  read(operations: readonly PreparedOperation[]): readonly (FoundRow | undefined)[] {
    const [first] = operations;
    if (first === undefined || operations.every(isInsert)) return [];
    const part = operations.some(isMerge) ? "body" : operations.some(isTouch) ? "length" : "nothing";
    if (operations.length === 1) {
      const reading = this.#statements.get(this.#sql.readOne[part]);
      return [reading.get(first.pk, first.rk) as unknown as FoundRow | undefined];
    }
    // A single statement for several rows takes half the time.
    const reading = this.#statements.get(this.#sql.readSeveral[part]);
    const keys = JSON.stringify(operations.map(({ rk }) => rk));
    const rows: (FoundRow | undefined)[] = [];
    for (const row of reading.all(keys, first.pk) as unknown as readonly FoundRow[]) rows[row[0]] = row;
    return rows;
  }

  /**
   * Applies one operation to its row. If it throws, it has changed nothing.
   *
   * @throws StorageError 404, 409 or 412, as from the service
   */
  apply(operation: PreparedOperation, row: FoundRow | undefined, version: RowVersion): void {
    switch (operation.type) {
      case "insert":
        return this.#insert(operation, version);
      case "upsert-replace":
      case "upsert-merge":
        if (row === undefined) return this.#insert(operation, version);
        break;
      case "replace":
      case "merge":
      case "delete":
        if (row === undefined) throw StorageError.ofService("ResourceNotFound");
        if (operation.version !== undefined && operation.version !== row[2]) throw this.#overtaken(operation);
        break;
      default:
        return operation.type satisfies never;
    }
    if (operation.type === "delete") return this.#delete(row);
    if (isTouch(operation)) return this.#touch(row, operation, version);
    const body = isMerge(operation) ? this.#merged(row, operation) : operation.body;
    this.#update(row, operation, version, body);
  }

  /** The unique index of keys refuses a duplicate. */
  #insert(operation: PreparedOperation, version: RowVersion): void {
    const content = this.#contentOf(operation, version, operation.body);
    const { changes } = this.#statements.get(this.#sql.insert).run(operation.pk, operation.rk, ...content);
    if (changes === 0) throw StorageError.ofService("EntityAlreadyExists");
    this.totals.rows++;
    this.totals.sum += content[2];
  }

  #delete([, id, , checksum]: FoundRow): void {
    // Faster than DELETE … RETURNING, which collects its rows first.
    this.#statements.get(this.#sql.delete).run(id);
    this.totals.rows--;
    this.totals.sum -= numberOf(checksum);
  }

  /** The row has another version, or is damaged. */
  #overtaken(operation: PreparedOperation): StorageError {
    const [row] = this.read([{ ...operation, type: "merge", isEmpty: false }]);
    if (row !== undefined) this.#checkedBody(row, operation);
    return StorageError.ofService("UpdateConditionNotSatisfied");
  }

  #merged(row: FoundRow, operation: PreparedOperation): Body {
    const { members, keyLength } = operation;
    // Merging into a damaged row would make it look complete.
    const merged = withMembers(this.#checkedBody(row, operation), members);
    checkSize(lengthOf(merged), keyLength, () => shapeOf(merged));
    return merged;
  }

  #checkedBody([, , ts, checksum, ahead, body]: FoundRow, { pk, rk }: PreparedOperation): Body {
    checkRow([pk, rk, ts, body as Body, checksum as number, ahead], this.#table.checksum);
    return body as Body;
  }

  #update(row: FoundRow, operation: PreparedOperation, version: RowVersion, body: Body): void {
    const content = this.#contentOf(operation, version, body);
    this.#statements.get(this.#sql.update).run(...content, row[1]);
    this.totals.sum += content[2] - numberOf(row[3]);
  }

  /**
   * Writes the table's last version and its new totals as part of the commit. They let `verifyDatabase` notice rows
   * that the disk lost.
   */
  end(): void {
    const { rows, sum } = this.totals;
    if (this.version === this.#storedVersion && rows === 0 && sum === 0) return;
    this.#statements.get(addToState).run(this.version, rows, sum, this.#table.id);
  }

  /** Gives a row another version, without changing its body. */
  #touch([, id, ts, crc, ahead, body]: FoundRow, { pk, rk }: PreparedOperation, version: RowVersion): void {
    if (typeof crc !== "number" || typeof ts !== "number" || typeof ahead !== "number")
      throw new DamagedRow();
    const length = typeof body === "number" ? body : byteLengthOf(body as Body);
    const [before, after] = [[ts, ahead] as const, [version.micros, version.ahead] as const];
    const checksum = checksumAfter(crc, this.#table.checksum, pk, rk, before, after, length);
    this.#statements.get(this.#sql.touch).run(version.micros, checksum, version.ahead, id);
    this.totals.sum += checksum - crc;
  }

  #contentOf({ pk, rk }: PreparedOperation, { micros, ahead }: RowVersion, body: Body): RowContent {
    const checksum = checksumOf(this.#table.checksum, pk, rk, micros, body, ahead);
    return [micros, columnOf(body), checksum, ahead];
  }
}

/** The number of rows, and the sum of their checksums. */
interface Totals {
  rows: number;
  sum: number;
}

const isInsert = ({ type }: PreparedOperation): boolean => type === "insert";
/** Whether an operation sets some members of a row and leaves the others unchanged. */
const isMerge = ({ type, isEmpty }: PreparedOperation): boolean =>
  (type === "merge" || type === "upsert-merge") && !isEmpty;
/** Whether an operation is an empty merge, which only gives the row another version. */
const isTouch = ({ type, isEmpty }: PreparedOperation): boolean =>
  (type === "merge" || type === "upsert-merge") && isEmpty;

/** A damaged column may contain anything. */
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The columns that every write sets. */
const contentNames = ["ts", "body", "crc", "ahead"] as const;
const contentColumns = contentNames.join(", ");
/** A body is bound as bytes, or as text that SQLite converts to bytes. */
const valueOf = (name: string): string => (name === "body" ? "CAST(? AS BLOB)" : "?");
const contentValues = contentNames.map(valueOf).join(", ");
const setContent = contentNames.map((name) => `${name} = ${valueOf(name)}`).join(", ");

const addToState = `UPDATE state SET ts = ?, rows = rows + ?, sum = (sum + CAST(? AS INTEGER)) & ${sumMask} WHERE id = ?`;

/** The SQL statements of a table. Those that read rows are listed by the part of the body in a {@link FoundRow}. */
const sqlOf = (rows: string) => ({
  readOne: byPart((part) => `SELECT 0, id, ts, crc, ahead, ${part} FROM ${rows} WHERE pk = ? AND rk = ?`),
  readSeveral: byPart(
    (part) =>
      `SELECT k.key, r.id, r.ts, r.crc, r.ahead, ${part} FROM json_each(?) k CROSS JOIN ${rows} r ON r.pk = ? AND r.rk = k.value`,
  ),
  insert: `INSERT OR IGNORE INTO ${rows} (pk, rk, ${contentColumns}) VALUES (?, ?, ${contentValues})`,
  update: `UPDATE ${rows} SET ${setContent} WHERE id = ?`,
  touch: `UPDATE ${rows} SET ts = ?, crc = ?, ahead = ? WHERE id = ?`,
  delete: `DELETE FROM ${rows} WHERE id = ?`,
});

const byPart = (sql: (part: string) => string) => ({
  body: sql("body"),
  length: sql("octet_length(body)"),
  nothing: sql("NULL"),
});

/** The values of those columns. */
type RowContent = [ts: number, body: Uint8Array | string, crc: number, ahead: number];
