import type { TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";

/**
 * The point where a process dies: at its n-th request, counted from 1, before or after the request is
 * executed.
 */
export interface Death {
  readonly request: number;
  readonly isCarriedOut: boolean;
}

/** The death in a process's arguments: the number of a request, 0 for none, and "true" if it is executed. */
export const deathOf = (request: string, isCarriedOut: string): Death | undefined =>
  Number(request) === 0 ? undefined : { request: Number(request), isCarriedOut: isCarriedOut === "true" };

/** Executes requests until the last one. `kind` is the called method of the storage. */
export type Counted = <Result>(request: () => Promise<Result>, kind: string) => Promise<Result>;

/** Counts requests, and dies at one of them. */
export function countedUntil(death: Death | undefined, die: () => Promise<never>): Counted {
  let count = 0;
  return async (request) => {
    count++;
    if (death === undefined || count < death.request) return request();
    // A failing request, such as creating an existing table, is executed too.
    if (count === death.request && death.isCarriedOut) await request().catch(() => undefined);
    return die();
  };
}

/** The same storage with counted requests. */
export const countedStorage = (inner: TableStorage, counted: Counted): TableStorage =>
  forwardStorage(inner, {
    query: (...call) => counted(() => inner.query(...call), "query"),
    get: (...call) => counted(() => inner.get(...call), "get"),
    write: (...call) => counted(() => inner.write(...call), "write"),
    transact: (...call) => counted(() => inner.transact(...call), "transact"),
    createTable: (...call) => counted(() => inner.createTable(...call), "createTable"),
    deleteTable: (...call) => counted(() => inner.deleteTable(...call), "deleteTable"),
    listTables: (...call) => counted(() => inner.listTables(...call), "listTables"),
  });

/** Kills this process. Never returns. */
export function killProcess(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise<never>(() => undefined);
}
