import type { DatabaseSync } from "node:sqlite";
import type { EntityKey } from "@partita/core";
import { isTableName } from "@partita/core/internal";
import { isOfContent, toStorageError } from "@partita/core/internal/embedded";
import { openToCheck } from "./open-to-check.ts";
import { completePart, createPart, removePart } from "./part-file.ts";
import { RestoredFile } from "./restored-file.ts";
import { type LostRow, repairRows } from "./repair-rows.ts";
import { namedTables, type NamedTable } from "./read-tables.ts";
import { progressRows, Turns } from "./turns.ts";

/** Options of {@link repairDatabase}. */
export interface RepairOptions {
  /** Cancels the work: the promise is rejected with `storage.cancelled`, and the new file is deleted. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each row that is not in the new file. */
  readonly onLost?: ((row: LostRow) => void) | undefined;
  /** Called at the beginning of each table and about every 10,000 rows. */
  readonly onProgress?: ((progress: RepairProgress) => void) | undefined;
}

/** The progress of {@link repairDatabase}. */
export interface RepairProgress {
  readonly table: string;
  /** The number of rows read from all tables. */
  readonly read: number;
}

/** The result of {@link repairDatabase}. */
export interface RepairReport {
  /** The tables of the new file. */
  readonly tables: readonly RepairedTable[];
  /** The number of known rows that are not in it. */
  readonly lostRows: number;
}

/** A table that {@link repairDatabase} wrote. */
export interface RepairedTable {
  readonly table: string;
  readonly rows: number;
  /** The number of rows recorded in the damaged file; undefined if it can't be read. */
  readonly expectedRows: number | undefined;
}

/** Rows per transaction. */
const commitRows = 5000;

/** Copies the sound parts of a file into a new one; see {@link repairDatabase}. */
export async function repairDatabase(
  path: string,
  into: string,
  options: RepairOptions,
): Promise<RepairReport> {
  const { database: source, fixed } = await openToCheck(path, "writable_schema = 1");
  try {
    const part = createPart(into);
    try {
      const report = await copyInto(source, part, options);
      fixed?.check();
      completePart(part, into);
      return report;
    } catch (error) {
      removePart(part);
      throw error;
    }
  } catch (error) {
    throw toStorageError(error, path);
  } finally {
    source.close();
  }
}

async function copyInto(source: DatabaseSync, path: string, options: RepairOptions): Promise<RepairReport> {
  const version = lastVersionOf(source);
  const target = await RestoredFile.open(path, version);
  try {
    return await new Repair(source, target, options).run();
  } catch (error) {
    throw toStorageError(error, path);
  } finally {
    target.close();
  }
}

class Repair {
  readonly #source: DatabaseSync;
  readonly #target: RestoredFile;
  readonly #options: RepairOptions;
  readonly #tables: RepairedTable[] = [];
  readonly #turns: Turns;
  #read = 0;
  #lost = 0;

  constructor(source: DatabaseSync, target: RestoredFile, options: RepairOptions) {
    this.#source = source;
    this.#target = target;
    this.#turns = new Turns(options.signal);
    this.#options = options;
  }

  async run(): Promise<RepairReport> {
    for (const table of namedTables(this.#source)) await this.#copyTable(table);
    return { tables: this.#tables, lostRows: this.#lost };
  }

  async #copyTable(table: NamedTable): Promise<void> {
    const name = this.#newName(table);
    this.#show(name);
    const into = this.#target.begin(name);
    const onLost = (key: EntityKey, message: string): void => {
      this.#lost++;
      this.#options.onLost?.({ table: name, key, message });
    };
    for (const _ of repairRows(this.#source, table, into, onLost)) {
      this.#read++;
      if (this.#read % progressRows === 0) this.#show(name);
      if (this.#read % commitRows === 0) into.commit();
      if (this.#turns.isDue) await this.#turns.next();
    }
    into.end();
    this.#tables.push({ table: name, rows: into.rows, expectedRows: table.rows });
    await this.#turns.next();
  }

  /** A table with a damaged name, or another table's name, gets a name with its number. */
  #newName({ id, name }: NamedTable): string {
    const isTaken = this.#tables.some(({ table }) => table.toLowerCase() === name?.toLowerCase());
    return name === undefined || isTaken || !isTableName(name) ? `Recovered${id}` : name;
  }

  #show(table: string): void {
    this.#options.onProgress?.({ table, read: this.#read });
  }
}

/** The last version that the damaged file assigned to a row, if known. */
function lastVersionOf(source: DatabaseSync): number {
  try {
    const last = source.prepare("SELECT CAST(max(ts) AS REAL) AS ts FROM state").get()?.["ts"];
    return typeof last === "number" && Number.isSafeInteger(last) ? last : 0;
  } catch (error) {
    if (isOfContent(error)) return 0;
    throw error;
  }
}
