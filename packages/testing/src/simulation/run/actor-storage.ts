import { StorageError, type TableStorage } from "@partita/core";
import type { WriteResult } from "@partita/core/storage";
import { parseFault } from "../../faults/fault.ts";
import { InjectedFault } from "../../faults/injected-fault.ts";
import type { JournalEntry, OpenEntry } from "../history/journal.ts";
import { scopes } from "./own-time.ts";
import type { Plan } from "./plan.ts";
import type { Actor, Scheduler } from "./scheduler.ts";

/** How long a request may take to arrive, in milliseconds; the service ends a request after 30 seconds. */
const longestMs = 25_000;

/** The context of an actor's requests. */
export interface RequestSource {
  readonly actor: Actor;
  readonly store: TableStorage;
  readonly scheduler: Scheduler;
  readonly plan: Plan;
  readonly entries: OpenEntry[];
  /** The present step of the actor; 0 while nothing fails. */
  readonly step: () => number;
  /** Counts a request. @returns its number in the step, or undefined if the actor stops here */
  readonly count: () => number | undefined;
  /** Called with each request that the store applied. */
  readonly executed: (entry: JournalEntry) => void;
}

type Asked = Pick<JournalEntry, "type" | "table"> & Partial<Pick<JournalEntry, "operations" | "asked">>;

/** The store for one actor: each request waits for the scheduler, and fails as planned. */
export function actorStorage(source: RequestSource): TableStorage {
  const { store } = source;
  const storage: TableStorage = {
    description: store.description,
    ...(store.isUnordered !== undefined && { isUnordered: store.isUnordered }),
    ...(store.readsBackwards !== undefined && { readsBackwards: store.readsBackwards }),
    reachedTime: () => store.reachedTime?.(),
    query: (table, query, options) =>
      send(
        source,
        { type: "query", table, asked: query.top === undefined ? "" : `top ${query.top}` },
        options,
        {
          work: () => store.query(table, query, options),
          rows: ({ entities }) => entities,
        },
      ),
    get: (table, key, options) =>
      send(source, { type: "get", table, asked: `(${key.partitionKey}, ${key.rowKey})` }, options, {
        work: () => store.get(table, key, options),
        rows: (row) => (row === undefined ? [] : [row]),
      }),
    write: (table, operation, options) =>
      send(source, { type: "write", table, operations: [operation] }, options, {
        work: (isLate) => store.write(table, operation, isLate ? {} : options),
        written: (result) => [result],
      }),
    transact: (table, operations, options) =>
      send(source, { type: "transact", table, operations }, options, {
        work: (isLate) => store.transact(table, operations, isLate ? {} : options),
        written: (results) => results,
      }),
    createTable: (table, options) =>
      send(source, { type: "createTable", table }, options, {
        work: (isLate) => store.createTable(table, isLate ? {} : options),
        written: () => [],
      }),
    deleteTable: (table, options) =>
      send(source, { type: "deleteTable", table }, options, {
        work: (isLate) => store.deleteTable(table, isLate ? {} : options),
        written: () => [],
      }),
    listTables: (options) =>
      send(source, { type: "listTables", table: "" }, options, {
        work: () => store.listTables(options),
        rows: () => [],
      }),
    // Does nothing, since the simulation closes the store.
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return storage;
}

interface Work<Result> {
  readonly work: (isLate: boolean) => Promise<Result>;
  /** Returns the rows of a read. */
  readonly rows?: (result: Result) => JournalEntry["rows"];
  /** Returns the results of a write; absent for a read. */
  readonly written?: (result: Result) => readonly WriteResult[];
}

function send<Result>(
  source: RequestSource,
  asked: Asked,
  options: { readonly attempt?: number | undefined } | undefined,
  work: Work<Result>,
): Promise<Result> {
  const { actor, scheduler, entries } = source;
  const count = source.count();
  // A stopped actor never gets a response.
  if (count === undefined || actor.state === "stopped") return new Promise(() => undefined);
  const entry = openEntry(source, asked, count, options?.attempt ?? 1);
  entries.push(entry);
  return new Promise((resolve, reject) => {
    scheduler.add({
      id: entry.id,
      actor: actor.name,
      kind: "request",
      deadline: scheduler.now + longestMs,
      owner: actor,
      run: async () => {
        try {
          const result = await carryOut(source, entry, work);
          response(source, entry, undefined);
          resolve(result);
        } catch (error) {
          response(source, entry, error);
          reject(error as Error);
        }
      },
    });
  });
}

function openEntry(
  { actor, scheduler, entries, ...source }: RequestSource,
  asked: Asked,
  count: number,
  attempt: number,
): OpenEntry {
  const step = source.step();
  return {
    number: entries.length + 1,
    id: `${actor.name}/${step}/${count}`,
    actor: actor.name,
    step,
    operations: [],
    asked: "",
    ...asked,
    attempt,
    save: scopes.getStore()?.save,
    fault: undefined,
    outcome: "on its way",
    sentAt: scheduler.now,
    respondedAt: undefined,
    executedAt: undefined,
    sent: scheduler.order,
    responded: 0,
    executed: 0,
    error: undefined,
    refusal: undefined,
    rows: [],
    etags: [],
  };
}

/** Executes one request with its fault. @throws the error for the actor */
async function carryOut<Result>(
  source: RequestSource,
  entry: OpenEntry,
  work: Work<Result>,
): Promise<Result> {
  const isWrite = work.written !== undefined;
  const { number, type, table, operations } = entry;
  const fault =
    entry.step === 0 ? undefined : await source.plan.faultOf(entry.id, { number, type, table, operations });
  if (fault === undefined) return inStore(source, entry, work, false);
  entry.fault = fault;
  const placed = parseFault(fault);
  // The store's result is lost with the response.
  if (placed.place === "after") await inStore(source, entry, work, false).catch(() => undefined);
  else if (placed.place === "late" && isWrite) arriveLate(source, entry, work);
  else entry.outcome = "never";
  throw new InjectedFault(placed, isWrite);
}

/** Delays a request until some later moment. */
function arriveLate<Result>(source: RequestSource, entry: OpenEntry, work: Work<Result>): void {
  source.scheduler.add({
    id: `late ${entry.id}`,
    actor: entry.actor,
    kind: "late",
    deadline: entry.sentAt + longestMs,
    owner: undefined,
    run: async () => {
      await inStore(source, entry, work, true).catch(() => undefined);
    },
  });
}

async function inStore<Result>(
  { scheduler, executed }: RequestSource,
  entry: OpenEntry,
  { work, rows, written }: Work<Result>,
  isLate: boolean,
): Promise<Result> {
  entry.executedAt = scheduler.now;
  entry.executed = scheduler.order;
  try {
    const result = await work(isLate);
    entry.outcome = written === undefined ? "read" : "applied";
    entry.rows = rows?.(result) ?? [];
    entry.etags = written?.(result).map(({ etag }) => etag) ?? [];
    return result;
  } catch (error) {
    const isKnown = StorageError.is(error) && error.applied === "no";
    entry.outcome = isKnown || written === undefined ? "refused" : "in doubt";
    entry.refusal = codeOf(error);
    throw error;
  } finally {
    executed(entry);
  }
}

function response({ scheduler }: RequestSource, entry: OpenEntry, error: unknown): void {
  entry.respondedAt = scheduler.now;
  entry.responded = scheduler.order;
  if (error !== undefined) entry.error = codeOf(error);
}

const codeOf = (error: unknown): string =>
  StorageError.is(error) ? (error.serviceCode ?? error.code) : String(error);
