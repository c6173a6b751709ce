import type { DatabaseSync } from "node:sqlite";
import { isDamage, isOfContent, toStorageError } from "@partita/core/internal/embedded";
import { checkRows } from "./check-rows.ts";
import { checkSchema } from "./check-schema.ts";
import { type DatabaseFinding, Findings } from "./findings.ts";
import { openToCheck } from "./open-to-check.ts";
import { type CheckedTable, readTables } from "./read-tables.ts";
import { progressRows, Turns } from "./turns.ts";

/** Options of {@link verifyDatabase}. */
export interface VerifyOptions {
  /** Cancels the work: the promise is rejected with `storage.cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the beginning of each table and about every 10,000 rows. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** The progress of {@link verifyDatabase}. */
export interface VerifyProgress {
  /** Undefined while SQLite checks the pages of the file, which is one step. */
  readonly table: string | undefined;
  /** The number of checked rows in all tables; `total` is the expected number. */
  readonly checked: number;
  readonly total: number;
}

/** The result of {@link verifyDatabase}. */
export interface VerifyReport {
  /** Whether there are no problems. */
  readonly isClean: boolean;
  /** The tables that were checked, and their rows. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** The first 100 problems. */
  readonly findings: readonly DatabaseFinding[];
  /** The number of problems. */
  readonly findingCount: number;
}

/**
 * Checks an open file; see {@link verifyDatabase}. @throws StorageError if it cannot be opened, or was not created by
 * this library
 */
export async function verifyDatabase(path: string, options: VerifyOptions): Promise<VerifyReport> {
  const { database, fixed } = await openToCheck(path, "cell_size_check = 1");
  try {
    const report = await new Verification(database, options).run();
    fixed?.check();
    return report;
  } catch (error) {
    throw toStorageError(error, path);
  } finally {
    database.close();
  }
}

class Verification {
  readonly #database: DatabaseSync;
  readonly #options: VerifyOptions;
  readonly #findings = new Findings();
  readonly #turns: Turns;
  #checked = 0;
  #total = 0;

  constructor(database: DatabaseSync, options: VerifyOptions) {
    this.#database = database;
    this.#options = options;
    this.#turns = new Turns(options.signal);
  }

  async run(): Promise<VerifyReport> {
    await this.#turns.next();
    const tables = this.#guard(undefined, () => readTables(this.#database, this.#findings)) ?? [];
    this.#total = tables.reduce((sum, { rows = 0 }) => sum + rows, 0);
    this.#show(undefined);
    this.#guard(undefined, () => {
      checkSchema(
        this.#database,
        tables.map(({ id }) => id),
        this.#findings,
      );
    });
    this.#guard(undefined, () => this.#checkStructure());
    const counted: { table: string; rows: number }[] = [];
    for (const table of tables) {
      await this.#turns.next();
      counted.push({ table: table.name, rows: await this.#checkTable(table) });
    }
    const { listed, count } = this.#findings;
    return { isClean: count === 0, tables: counted, findings: listed, findingCount: count };
  }

  /** Runs SQLite's own check of pages, their order, and every row in every index. */
  #checkStructure(): void {
    for (const row of this.#database.prepare("PRAGMA integrity_check").all()) {
      const message = String(row["integrity_check"]);
      if (message !== "ok") this.#findings.add({ check: "structure", message: `SQLite: ${message}.` });
    }
  }

  /** Returns the number of its rows. */
  async #checkTable(table: CheckedTable): Promise<number> {
    this.#show(table.name);
    const before = this.#checked;
    try {
      const steps = checkRows(this.#database, table, this.#findings);
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done === true) return step.value;
        this.#checked++;
        if (this.#checked % progressRows === 0) this.#show(table.name);
        if (this.#turns.isDue) await this.#turns.next();
      }
    } catch (error) {
      this.#note(error, table.name);
      return this.#checked - before;
    }
  }

  #show(table: string | undefined): void {
    this.#options.onProgress?.({
      table,
      checked: this.#checked,
      total: Math.max(this.#total, this.#checked),
    });
  }

  /** Records damage that ends a check as a finding, and continues with the next check. */
  #guard<Result>(table: string | undefined, check: () => Result): Result | undefined {
    try {
      return check();
    } catch (error) {
      this.#note(error, table);
      return undefined;
    }
  }

  #note(error: unknown, table: string | undefined): void {
    if (!isDamage(error) && !isOfContent(error)) throw error;
    this.#findings.add({
      check: "structure",
      ...(table !== undefined && { table }),
      message: "The file is damaged here, so the rest cannot be read.",
    });
  }
}
