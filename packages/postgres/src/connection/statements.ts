import { randomBytes } from "node:crypto";
import { StorageError } from "@partita/core";
import type { CustomTypesConfig, Pool, PoolClient, QueryArrayResult } from "pg";
import { cancelled } from "@partita/core/internal/sql";
import type { RequestOptions } from "@partita/core/storage";
import { Client } from "./create-pool.ts";
import { Interruption } from "./interruption.ts";
import { isOutdatedStatement, isRefusal, poolExhausted, toStorageError } from "./postgres-errors.ts";
import { forgetSession, prepareSession } from "./session.ts";

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
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

/** The longest delay of a timer; a longer one would fire immediately. */
const longestMs = 2 ** 31 - 1;

/** A value of a row. */
export type Column = string | number | boolean | null;

/** Sends texts of statements on one connection. */
export type Send = (text: string) => Promise<readonly Column[][]>;

/** Runs statements, each on a connection of the pool. */
export class Statements {
  readonly #pool: Pool;
  readonly #place: string;
  readonly #timeoutMs: number;
  /** The names of prepared statements, by their text. */
  readonly #names = new Map<string, string>();

  /**
   * @param place - the description of the storage
   * @param timeoutMs - how long a statement may take
   */
  constructor(pool: Pool, place: string, timeoutMs: number) {
    this.#pool = pool;
    this.#place = place;
    this.#timeoutMs = timeoutMs;
    // Without a listener, the loss of an idle connection would end the process. Storages can share a pool.
    if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
  }

  /** Runs one statement. @throws StorageError */
  async run(statement: Statement, { signal }: RequestOptions = {}): Promise<readonly Column[][]> {
    const client = await this.#checkOut(signal);
    const interruption = new Interruption(client, signal, this.#timeoutMs);
    let inDoubt: "no" | "maybe" = "no";
    let isBroken = false;
    try {
      await prepareSession(client);
      interruption.check();
      if (statement.writes) inDoubt = "maybe";
      return (await this.#send(client, statement)).rows;
    } catch (error) {
      isBroken = !isRefusal(error);
      if (StorageError.is(error)) throw error;
      throw interruption.errorFor(isBroken ? inDoubt : "no") ?? toStorageError(error, this.#place, inDoubt);
    } finally {
      // A late cancellation would end the next statement on this connection, which may be another caller's.
      if (interruption.end()) isBroken = true;
      checkIn(client, isBroken);
    }
  }

  /** Makes a connection outside of the pool, for listening. */
  newClient(): Client {
    // The pool's options have the password, though not as an enumerable property.
    return new Client(this.#pool.options);
  }

  /** Runs statements in a transaction of their own, which may take any time. @throws StorageError */
  async transaction<Result>(work: (send: Send) => Promise<Result>): Promise<Result> {
    const client = await this.#checkOut(undefined);
    let isDone = false;
    try {
      await prepareSession(client);
      const send: Send = async (text) =>
        (await client.query<Column[]>({ text, rowMode: "array", types })).rows;
      await send("begin");
      const result = await work(send);
      await send("commit");
      isDone = true;
      return result;
    } catch (error) {
      throw StorageError.is(error) ? error : toStorageError(error, this.#place, "maybe");
    } finally {
      checkIn(client, !isDone);
    }
  }

  /** @throws StorageError `storage.cancelled`, or why there is no connection */
  async #checkOut(signal: AbortSignal | undefined): Promise<PoolClient> {
    for (;;) {
      checkSignal(signal);
      const client = await this.#connect(signal);
      client.on("error", ignore);
      // In a transaction that another part of the program left open, our statement would not be committed.
      const status = client.getTransactionStatus();
      if (status === "I" || status === null) return client;
      checkIn(client, true);
    }
  }

  async #connect(signal: AbortSignal | undefined): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const abort = (): void => stop(signal && cancelled(signal));
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => stop(poolExhausted(this.#place)), this.#waitMs);
    try {
      return await Promise.race([connecting, stopped]);
    } catch (error) {
      connecting.then((client) => client.release(), ignore);
      throw StorageError.is(error) ? error : toStorageError(error, this.#place, "no");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** A pool limits the wait itself, if it was told to. It forgets requests that wait while the program ends it. */
  get #waitMs(): number {
    const { connectionTimeoutMillis: limit = 0 } = this.#pool.options;
    return limit > 0 ? Math.min(limit + 1000, longestMs) : this.#timeoutMs;
  }

  async #send(client: PoolClient, statement: Statement): Promise<QueryArrayResult<Column[]>> {
    const { text, values, isPrepared } = statement;
    const send = (): Promise<QueryArrayResult<Column[]>> =>
      client.query<Column[]>({
        text,
        values: values as unknown[],
        rowMode: "array",
        types,
        ...(isPrepared && { name: this.#nameOf(text) }),
      });
    try {
      return await send();
    } catch (error) {
      if (!isPrepared || !isOutdatedStatement(error)) throw error;
      this.#names.delete(text);
      // DISCARD ALL removes the settings of a session together with its statements.
      forgetSession(client);
      await prepareSession(client);
      return send();
    }
  }

  /** PostgreSQL cuts names at 63 bytes, and poolers let several programs share a session. */
  #nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) this.#names.set(text, (name = `partita_${randomBytes(8).toString("hex")}`));
    return name;
  }
}

/** @throws StorageError `storage.cancelled` */
function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled(signal);
}

/** Returns a connection to the pool, or ends it. */
function checkIn(client: PoolClient, isBroken: boolean): void {
  client.release(isBroken);
  client.off("error", ignore);
}

/** Connections in use need a listener too: without it, their loss would end the process. */
const ignore = (): void => {};
