import type { StatementSync } from "node:sqlite";
import { StorageError } from "../../errors/storage-error.ts";
import { checkSize } from "../../storage/check-write.ts";
import { type PreparedOperation, RowValues } from "./prepare-operation.ts";
import { type Body, bodyOf, columnOf, propertiesOf, selectedBody } from "./row-body.ts";
import { checksumOf } from "./row-checksum.ts";
import { rowsOf, sumMask } from "./schema.ts";
import { checkRow, mergedProperties } from "./stored-row.ts";
import type { Statements, StoredTable } from "./table-statements.ts";

/** The version of a row that is written, and how far it is ahead of the time, both in microseconds. */
export interface RowVersion {
  readonly micros: number;
  readonly ahead: number;
}

/** Applies prepared operations to one table's rows, inside the caller's transaction. */
export class RowWriter {
  /** What the rows add up to beside the last commit: how many, and the sum of their checksums, whatever their order. */
  readonly totals: Totals = { rows: 0, sum: 0 };
  readonly #statements: Statements;
  readonly #table: StoredTable;
  readonly #rows: string;
  #finding: StatementSync | undefined;
  #reading: StatementSync | undefined;
  #inserting: StatementSync | undefined;
  #updating: StatementSync | undefined;
  #deleting: StatementSync | undefined;
  #adding: StatementSync | undefined;

  constructor(statements: Statements, table: StoredTable) {
    this.#statements = statements;
    this.#rows = rowsOf(table.id);
    this.#table = table;
  }

  /**
   * Applies one operation, or throws and changes nothing.
   *
   * @throws StorageError 404, 409 or 412 as the service answers
   */
  apply(operation: PreparedOperation, version: RowVersion): void {
    switch (operation.type) {
      case "insert":
        if (!this.#insert(operation, version)) throw StorageError.ofService("EntityAlreadyExists");
        return;
      case "replace":
        return this.#replace(operation, version);
      case "merge":
        return this.#merge(operation, version);
      case "upsert-replace":
        return this.#upsertReplace(operation, version);
      case "upsert-merge":
        return this.#upsertMerge(operation, version);
      case "delete":
        return this.#delete(operation);
      default:
        return operation.type satisfies never;
    }
  }

  /** False where there is a row. */
  #insert(operation: PreparedOperation, version: RowVersion): boolean {
    const { pk, rk } = operation;
    const content = this.#contentOf(operation, version, operation.values);
    if (!this.#isInserted(pk, rk, content)) return false;
    this.totals.rows++;
    this.totals.sum += content[2];
    return true;
  }

  /** The index of keys refuses one that is there. */
  #isInserted(pk: string, rk: string, content: RowContent): boolean {
    this.#inserting ??= this.#statements.get(
      `INSERT OR IGNORE INTO ${this.#rows} (pk, rk, ${contentColumns}) VALUES (?, ?, ${contentValues})`,
    );
    return this.#inserting.run(pk, rk, ...content).changes === 1;
  }

  #replace(operation: PreparedOperation, version: RowVersion): void {
    const row = this.#find(operation);
    if (row === undefined || !isVersion(operation, row)) throw this.#refusal(operation);
    this.#update(row, operation, version, operation.values);
  }

  #merge(operation: PreparedOperation, version: RowVersion): void {
    const row = this.#read(operation);
    if (row === undefined) throw StorageError.ofService("ResourceNotFound");
    const { version: asked } = operation;
    if (asked !== undefined && asked !== row.ts) throw StorageError.ofService("UpdateConditionNotSatisfied");
    this.#mergeInto(row, operation, version);
  }

  #upsertReplace(operation: PreparedOperation, version: RowVersion): void {
    if (operation.isNew && this.#insert(operation, version)) return;
    const row = this.#find(operation);
    if (row === undefined) this.#insert(operation, version);
    else this.#update(row, operation, version, operation.values);
  }

  #upsertMerge(operation: PreparedOperation, version: RowVersion): void {
    const row = this.#read(operation);
    if (row === undefined) this.#insert(operation, version);
    else this.#mergeInto(row, operation, version);
  }

  #delete(operation: PreparedOperation): void {
    const row = this.#find(operation);
    if (row === undefined || !isVersion(operation, row)) throw this.#refusal(operation);
    // Faster than DELETE … RETURNING, which gathers its rows first.
    this.#deleting ??= this.#statements.get(`DELETE FROM ${this.#rows} WHERE id = ?`);
    this.#deleting.run(row.id);
    this.totals.rows--;
    this.totals.sum -= row.checksum;
  }

  /** Finds a row whose values are replaced, so that they need not be whole. */
  #find({ pk, rk }: PreparedOperation): FoundRow | undefined {
    this.#finding ??= this.#statements.get(`SELECT id, ts, crc FROM ${this.#rows} WHERE pk = ? AND rk = ?`);
    const row = this.#finding.get(pk, rk);
    if (row === undefined) return undefined;
    const [id, ts, checksum] = row as unknown as [number, number, unknown];
    return { id, ts, checksum: numberOf(checksum) };
  }

  #read({ pk, rk }: PreparedOperation): ReadRow | undefined {
    this.#reading ??= this.#statements.get(
      `SELECT id, ts, ${selectedBody}, crc, ahead FROM ${this.#rows} WHERE pk = ? AND rk = ?`,
    );
    const row = this.#reading.get(pk, rk) as unknown as StoredContent | undefined;
    if (row === undefined) return undefined;
    const [id, ts, body, checksum, ahead] = row;
    // What is merged into a damaged row would make it look whole.
    checkRow([pk, rk, ts, body, checksum, ahead], this.#table.checksum);
    return { id, ts, body, checksum };
  }

  #mergeInto(row: ReadRow, operation: PreparedOperation, version: RowVersion): void {
    const { values, keyLength } = operation;
    const merged = mergedProperties(propertiesOf(row.body), values.properties);
    const whole = new RowValues(bodyOf(JSON.stringify(merged)), merged);
    checkSize(whole, keyLength);
    this.#update(row, operation, version, whole);
  }

  #update(row: FoundRow, operation: PreparedOperation, version: RowVersion, values: RowValues): void {
    this.#updating ??= this.#statements.get(`UPDATE ${this.#rows} SET ${setContent} WHERE id = ?`);
    const content = this.#contentOf(operation, version, values);
    this.#updating.run(...content, row.id);
    this.totals.sum += content[2] - row.checksum;
  }

  /** Writes what the table's rows add up to now, as a part of the commit, so that `verifyFile` notices rows that the disk lost. */
  writeTotals(): void {
    const { rows, sum } = this.totals;
    this.#adding ??= this.#statements.get(
      `UPDATE state SET rows = rows + ?, sum = (sum + CAST(? AS INTEGER)) & ${sumMask} WHERE id = ?`,
    );
    if (rows !== 0 || sum !== 0) this.#adding.run(rows, sum, this.#table.id);
    this.totals.rows = 0;
    this.totals.sum = 0;
  }

  #contentOf({ pk, rk }: PreparedOperation, { micros, ahead }: RowVersion, { body }: RowValues): RowContent {
    const checksum = checksumOf(this.#table.checksum, pk, rk, micros, body, ahead);
    return [micros, columnOf(body), checksum, ahead];
  }

  /** Why a conditional write found no row: it is gone, or it has another version. */
  #refusal(operation: PreparedOperation): StorageError {
    const isGone = this.#read(operation) === undefined;
    return StorageError.ofService(isGone ? "ResourceNotFound" : "UpdateConditionNotSatisfied");
  }
}

/** How many rows, and the sum of their checksums. */
interface Totals {
  rows: number;
  sum: number;
}

/** A stored row that an operation changes. */
interface FoundRow {
  readonly id: number;
  readonly ts: number;
  readonly checksum: number;
}

type StoredContent = readonly [id: number, ts: number, body: Body, crc: number, ahead: number];

/** The same with its values. */
interface ReadRow extends FoundRow {
  readonly body: Body;
}

const isVersion = ({ version }: PreparedOperation, { ts }: FoundRow): boolean =>
  version === undefined || version === ts;

/** A damaged column may hold anything. */
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The columns that every write sets. */
const contentNames = ["ts", "body", "crc", "ahead"] as const;
const contentColumns = contentNames.join(", ");
/** A body comes as bytes, or as text of which SQLite makes the bytes. */
const valueOf = (name: string): string => (name === "body" ? "CAST(? AS BLOB)" : "?");
const contentValues = contentNames.map(valueOf).join(", ");
const setContent = contentNames.map((name) => `${name} = ${valueOf(name)}`).join(", ");

/** The values of those columns. */
type RowContent = [ts: number, body: Uint8Array | string, crc: number, ahead: number];
