import { randomUUID } from "node:crypto";
import type { CustomTypesConfig, Pool, PoolClient, QueryArrayResult } from "pg";
import { cancelled } from "@partita/core/internal/sql";
import type { RequestOptions } from "@partita/core/storage";
import { cancelStatement } from "./cancel-statement.ts";
import { isOutdatedStatement, isRefusal, toStorageError } from "./postgres-errors.ts";
import { prepareSession } from "./session.ts";

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | number | null | readonly string[])[];
  /** Whether the server keeps its plan: for texts that repeat. */
  readonly isPrepared: boolean;
  /** Whether it writes, so a lost connection leaves its outcome in doubt. */
  readonly writes: boolean;
}

/** All columns as text, except Booleans and int4: bodies are parsed once, if they are needed. */
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === 16
      ? (text: string) => text === "t"
      : oid === 23
        ? Number
        : (text: string) => text) as CustomTypesConfig["getTypeParser"],
};

/** A value of a row. */
export type Column = string | number | boolean | null;

/** Runs statements, each on a connection of the pool. */
export class Statements {
  readonly #pool: Pool;
  readonly #place: string;
  /** The names of prepared statements, by their text. */
  readonly #names = new Map<string, string>();

  /** @param place - the description of the storage */
  constructor(pool: Pool, place: string) {
    this.#pool = pool;
    this.#place = place;
    // Without listeners, a lost connection would end the process: an idle one, and one in use.
    pool.on("error", ignore);
    pool.on("connect", (client) => client.on("error", ignore));
  }

  /** Runs one statement. @throws StorageError */
  async run(statement: Statement, { signal }: RequestOptions = {}): Promise<readonly Column[][]> {
    checkSignal(signal);
    const client = await this.#connect();
    if (isAborted(signal)) client.release();
    checkSignal(signal);
    let ended: (() => void) | undefined;
    const cancel = (): void => {
      ended = cancelStatement(client);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    let failure: unknown;
    try {
      return (await this.#send(client, statement)).rows;
    } catch (error) {
      failure = error;
      const inDoubt = statement.writes ? "maybe" : "no";
      if (signal !== undefined && isAborted(signal))
        throw cancelled(signal, isRefusal(error) ? "no" : inDoubt);
      throw toStorageError(error, this.#place, inDoubt);
    } finally {
      signal?.removeEventListener("abort", cancel);
      ended?.();
      // A late cancellation would end the next statement on this connection, which may be another caller's.
      client.release(ended !== undefined || (failure !== undefined && !isRefusal(failure)));
    }
  }

  /** Runs several statements without values, divided by semicolons. @throws StorageError */
  async runAll(text: string): Promise<void> {
    const client = await this.#connect();
    let failure: unknown;
    try {
      await client.query(text);
    } catch (error) {
      failure = error;
      throw toStorageError(error, this.#place, "maybe");
    } finally {
      client.release(failure !== undefined);
    }
  }

  async #connect(): Promise<PoolClient> {
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      await prepareSession(client);
      return client;
    } catch (error) {
      client?.release(true);
      throw toStorageError(error, this.#place, "no");
    }
  }

  async #send(client: PoolClient, statement: Statement): Promise<QueryArrayResult<Column[]>> {
    const { text, values, isPrepared } = statement;
    const send = (): Promise<QueryArrayResult<Column[]>> =>
      client.query<Column[]>({
        text,
        values: [...values],
        rowMode: "array",
        types,
        ...(isPrepared && { name: this.#nameOf(text) }),
      });
    try {
      return await send();
    } catch (error) {
      if (!isPrepared || !isOutdatedStatement(error)) throw error;
      this.#names.delete(text);
      return send();
    }
  }

  /** PostgreSQL cuts names at 63 bytes, and poolers let several programs share a session. */
  #nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) this.#names.set(text, (name = `partita_${randomUUID()}`));
    return name;
  }
}

/** A function, since a signal changes while requests run. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** @throws StorageError `storage.cancelled` */
function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled(signal);
}

const ignore = (): void => {};
