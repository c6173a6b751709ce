// The storage: a request is one statement, and in a few cases a second one. Pages are planned by `pages/page-plan.ts`; the
// statements and functions of writes are in `schema/schema-sql.ts`.

import { StorageError, type TableStorage } from "@partita/core";
import { markCopy } from "@partita/core/internal";
import {
  checkStoredKey,
  isTableName,
  prepareOne,
  prepareTransaction,
  shownTable,
  toOrderedText,
} from "@partita/core/internal/sql";
import type {
  EntityKey,
  RequestOptions,
  StoredEntity,
  StoredPage,
  StoredQuery,
  WriteOperation,
  WriteResult,
} from "@partita/core/storage";
import { NotifySignals } from "./connection/notify-signals.ts";
import type { Column, Statement, Statements } from "./connection/statements.ts";
import { planPage } from "./pages/page-plan.ts";
import { readPage } from "./pages/read-page.ts";
import { etagOf } from "./rows/etag.ts";
import { type PreparedOperation, prepareOperation, printOperation } from "./rows/prepare-operation.ts";
import { readRow, type RowColumns } from "./rows/read-row.ts";
import { type ChangeTexts, changeTexts } from "./schema/schema-sql.ts";
import { Sweeper } from "./schema/sweeper.ts";

/** The parts of a storage. */
export interface PostgresParts {
  readonly statements: Statements;
  readonly schema: string;
  readonly description: string;
  /** Releases the connections. */
  readonly end: () => Promise<void>;
}

export class PostgresStorage implements TableStorage {
  static {
    markCopy(this.prototype);
  }

  readonly description: string;
  readonly readsBackwards = true;
  readonly #statements: Statements;
  readonly #schema: string;
  readonly #texts: ReturnType<typeof textsOf>;
  readonly #end: () => Promise<void>;
  readonly signals: NotifySignals;
  readonly #sweeper: Sweeper;
  /** Tables in which a large row was found, in lower case. */
  readonly #withLargeRows = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  #reachedMs: number | undefined;
  #closing: Promise<void> | undefined;

  constructor({ statements, schema, description, end }: PostgresParts) {
    this.description = description;
    this.#statements = statements;
    this.#schema = schema;
    this.#texts = textsOf(schema);
    this.#end = end;
    this.signals = new NotifySignals(statements, `partita_${schema}`);
    this.#sweeper = new Sweeper(statements, schema);
    // An earlier program may have stopped before all rows of its deleted tables were removed.
    this.#sweeper.start();
  }

  reachedTime(): number | undefined {
    return this.#reachedMs;
  }

  async query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage> {
    const name = table.toLowerCase();
    let page = await this.#readPage(table, query, this.#withLargeRows.has(name), options);
    if (page === "large rows") {
      this.#withLargeRows.add(name);
      page = await this.#readPage(table, query, true, options);
    }
    if (typeof page === "string") throw tableNotFound(table);
    return page;
  }

  async #readPage(
    table: string,
    query: StoredQuery,
    mayHaveLarge: boolean,
    options: RequestOptions | undefined,
  ): Promise<ReturnType<typeof readPage>> {
    const plan = planPage(table, query, this.#schema, mayHaveLarge);
    const { sql: text, values, isPrepared } = plan;
    return readPage(await this.#run({ text, values, isPrepared, writes: false }, options), plan);
  }

  async get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined> {
    checkStoredKey(key?.partitionKey, key?.rowKey);
    const [pk, rk] = [toOrderedText(key.partitionKey), toOrderedText(key.rowKey)];
    const { get: text } = this.#texts;
    const [row] = await this.#run(
      { text, values: [table, pk, rk], isPrepared: true, writes: false },
      options,
    );
    if (row === undefined) throw tableNotFound(table);
    const [version, at, body] = row as readonly string[];
    return body === null ? undefined : readRow([pk, rk, version, at, body] as unknown as RowColumns);
  }

  async write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult> {
    this.#checkOpen();
    const prepared = prepareOne(operation, prepareOperation);
    const { kind, pk, rk, asked, body = null, dropped } = prepared;
    if (kind === "m" || kind === "r" || kind === "d") {
      const changed = await this.#changeRow(table, kind, prepared, options);
      if (changed !== undefined) return changed;
    }
    const removed = dropped === undefined ? null : arrayOf(dropped);
    const values = [table, pk, rk, kind, asked?.at ?? null, asked?.version ?? null, body, removed];
    const { write: text } = this.#texts;
    const [row = []] = await this.#run({ text, values, isPrepared: true, writes: true }, options);
    const [code, version, at, now] = row;
    this.#noteTime(now);
    if (code !== null) throw refusal(code, table);
    return resultOf(prepared, String(at), String(version));
  }

  /**
   * Changes a stored row by a plain statement, which is faster than the function. Undefined if it changed none: the
   * function then finds out why, or changes a row that is there by now.
   */
  async #changeRow(
    table: string,
    kind: keyof ChangeTexts,
    prepared: PreparedOperation,
    options: RequestOptions | undefined,
  ): Promise<WriteResult | undefined> {
    const { pk, rk, asked, body = "", dropped = [] } = prepared;
    const text = asked === undefined ? this.#texts.any[kind] : this.#texts.asked[kind];
    const values: string[] = [table, pk, rk];
    if (asked !== undefined) values.push(asked.at, asked.version);
    if (kind !== "d") values.push(body);
    if (kind === "m") values.push(arrayOf(dropped));
    const [row] = await this.#run({ text, values, isPrepared: true, writes: true }, options);
    if (row === undefined) return undefined;
    const [version, at, now] = row;
    this.#noteTime(now);
    return resultOf(prepared, String(at), String(version));
  }

  async transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    this.#checkOpen();
    const prepared = prepareTransaction(operations, prepareOperation);
    const kinds = prepared.map(({ kind }) => kind).join("");
    const list = `[${prepared.map(printOperation).join(",")}]`;
    const values = [table, prepared[0]?.pk ?? "", kinds, list];
    const { transact: text } = this.#texts;
    const [row = []] = await this.#run({ text, values, isPrepared: true, writes: true }, options);
    const [failed, code, versions, times, now] = row;
    this.#noteTime(now);
    if (code !== null) throw refusal(code, table, failed as number | null);
    const [numbers, ats] = [elementsOf(versions), elementsOf(times)];
    return prepared.map((operation, i) => resultOf(operation, ats[i] as string, numbers[i] as string));
  }

  async createTable(table: string, options?: RequestOptions): Promise<void> {
    if (!isTableName(table)) throw StorageError.ofService("InvalidResourceName", shownTable(table));
    await this.#change("create_table", table, options);
  }

  async deleteTable(table: string, options?: RequestOptions): Promise<void> {
    await this.#change("delete_table", table, options);
    this.#sweeper.start();
  }

  async #change(name: string, table: string, options: RequestOptions | undefined): Promise<void> {
    const text = `select ${this.#schema}.${name}($1)`;
    const [[code] = []] = await this.#run(
      { text, values: [table], isPrepared: false, writes: true },
      options,
    );
    if (code !== null) throw StorageError.ofService(code as ServiceCode, shownTable(table));
  }

  async listTables(options?: RequestOptions): Promise<readonly string[]> {
    const text = `select name from ${this.#schema}.tables order by lower(name) collate "C"`;
    const rows = await this.#run({ text, values: [], isPrepared: false, writes: false }, options);
    return rows.map(([name]) => String(name));
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#sweeper.stop(), this.signals.close()]);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(statement: Statement, options?: RequestOptions): Promise<readonly Column[][]> {
    this.#checkOpen();
    const running = this.#statements.run(statement, options);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined)
      throw new StorageError(
        "storage.closed",
        `${this.description} is closed. Await every save and query before close(), or open it again with openStorage.`,
        {
          applied: "no",
        },
      );
  }

  /** @param micros - a time by the clock of the database, since 1970 */
  #noteTime(micros: Column | undefined): void {
    const ms = Math.floor(Number(micros) / 1000);
    if (ms > (this.#reachedMs ?? 0)) this.#reachedMs = ms;
  }
}

/** The statements that every program sends often. */
const textsOf = (s: string) => ({
  get: `select r.version, r.at, r.body from ${s}.tables t
    left join ${s}.rows r on r.t = t.id and r.pk = $2 and r.rk = $3 where lower(t.name) = lower($1::text collate "C")`,
  write: `select code, new_version, new_at, now_us from ${s}.write($1, $2, $3, $4, $5, $6, $7, $8)`,
  any: changeTexts(s, false),
  asked: changeTexts(s, true),
  transact: `select failed, code, versions, times, now_us from ${s}.apply($1, $2, $3, $4)`,
});

type ServiceCode = Parameters<typeof StorageError.ofService>[0];

const tableNotFound = (table: string): StorageError =>
  StorageError.ofService("TableNotFound", shownTable(table));

/** The error for a code that a function of the schema returned. */
function refusal(code: Column | undefined, table: string, failed?: number | null): StorageError {
  if (code === "TableNotFound") return tableNotFound(table);
  return StorageError.ofService(code as ServiceCode, undefined, failed ?? undefined);
}

const resultOf = ({ kind }: PreparedOperation, at: string, version: string): WriteResult =>
  kind === "d" ? {} : { etag: etagOf({ at, version }) };

/** The elements of an array of numbers as text: `{1,2}`. */
const elementsOf = (array: Column | undefined): readonly string[] => String(array).slice(1, -1).split(",");

/** An array of members' names, which contain neither quotation marks nor backslashes. */
const arrayOf = (names: readonly string[]): string => `{${names.map((name) => `"${name}"`).join(",")}}`;
