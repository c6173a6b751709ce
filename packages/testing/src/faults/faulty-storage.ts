import type { TableStorage } from "@partita/core";
import { parseFault } from "./fault.ts";
import type { FaultedRequest, FaultPlan } from "./fault-plan.ts";
import { InjectedFault } from "./injected-fault.ts";

/** What is known of requests that fail as planned. */
export interface FaultLog {
  /** Every request so far, failed ones included. */
  readonly requests: readonly FaultedRequest[];
  /** How many requests came `late` and are not carried out yet. */
  readonly onTheirWay: number;
  /** Carries out what came `late` until now. */
  settle(): Promise<void>;
  /** Called with each request that failed as planned, after what its fault lets be carried out has been. */
  onFault?: (request: FaultedRequest) => void;
}

/** A storage that fails as planned. */
export interface FaultyStorage extends TableStorage, FaultLog {}

/** The same storage, failing as planned. */
export function faultyStorage(storage: TableStorage, plan: FaultPlan): FaultyStorage {
  const requests: FaultedRequest[] = [];
  let late: (() => Promise<unknown>)[] = [];
  let onTheirWay = 0;

  let settling: Promise<void> = Promise.resolve();
  const settle = (): Promise<void> => {
    const due = late;
    late = [];
    // After those that are being done already. Nobody waits for these answers: a refusal of one is lost with it.
    settling = settling.then(async () => {
      for (const work of due) {
        await work().catch(() => undefined);
        onTheirWay--;
      }
    });
    return settling;
  };
  const run = async <Result>(
    request: Omit<FaultedRequest, "number" | "fault">,
    isWrite: boolean,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const told: { -readonly [Name in keyof FaultedRequest]: FaultedRequest[Name] } = {
      number: requests.length + 1,
      ...request,
    };
    requests.push(told);
    const fault = await plan(told);
    const placed = fault === undefined ? undefined : parseFault(fault);
    if (fault !== undefined) told.fault = fault;
    const due = late.length > 0;
    try {
      if (placed === undefined) return await work();
      // Whether it was done or refused is lost with the answer.
      if (placed.place === "after") await work().catch(() => undefined);
      if (placed.place === "late" && isWrite) {
        late.push(work);
        onTheirWay++;
      }
    } finally {
      if (due) await settle();
    }
    faulty.onFault?.(told);
    throw new InjectedFault(placed, isWrite);
  };

  const faulty: FaultyStorage = {
    description: `${storage.description} with faults`,
    ...(storage.isUnordered !== undefined && { isUnordered: storage.isUnordered }),
    reachedTime: () => storage.reachedTime?.(),
    requests,
    get onTheirWay() {
      return onTheirWay;
    },
    settle,
    query: (table, query, options) =>
      run({ type: "query", table, operations: [] }, false, () => storage.query(table, query, options)),
    get: (table, key, options) =>
      run({ type: "get", table, operations: [] }, false, () => storage.get(table, key, options)),
    write: (table, operation, options) =>
      run({ type: "write", table, operations: [operation] }, true, () =>
        storage.write(table, operation, options),
      ),
    transact: (table, operations, options) =>
      run({ type: "transact", table, operations }, true, () => storage.transact(table, operations, options)),
    createTable: (table, options) =>
      run({ type: "createTable", table, operations: [] }, true, () => storage.createTable(table, options)),
    deleteTable: (table, options) =>
      run({ type: "deleteTable", table, operations: [] }, true, () => storage.deleteTable(table, options)),
    listTables: (options) =>
      run({ type: "listTables", table: "", operations: [] }, false, () => storage.listTables(options)),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
  return faulty;
}
