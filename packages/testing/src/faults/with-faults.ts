import { StorageError, type TableStorage, type WriteOperation } from "@partita/core";

/**
 * What goes wrong with one request.
 *
 * - `refused`: the service cannot be reached; certainly not applied.
 * - `throttled`: the service answers 429 before it does anything.
 * - `busy-before`, `busy-after`: the service answers 503, without or after having done the work.
 * - `reset-before`, `reset-after`: the connection breaks after the request was sent.
 * - `timeout-before`, `timeout-after`: no answer comes in time.
 * - `error-before`, `error-after`: the service answers 500.
 * - `truncated-before`, `truncated-after`: the answer breaks off before its end, as of a transaction.
 * - `late`: no answer comes in time, and the work is done only after the next request was answered.
 */
export type Fault =
  | "refused"
  | "throttled"
  | "busy-before"
  | "busy-after"
  | "reset-before"
  | "reset-after"
  | "timeout-before"
  | "timeout-after"
  | "error-before"
  | "error-after"
  | "truncated-before"
  | "truncated-after"
  | "late";

/** Every fault there is. */
export const faults: readonly Fault[] = [
  "refused",
  "throttled",
  "busy-before",
  "busy-after",
  "reset-before",
  "reset-after",
  "timeout-before",
  "timeout-after",
  "error-before",
  "error-after",
  "truncated-before",
  "truncated-after",
  "late",
];

/** One request that reached the faulty storage. */
export interface FaultedRequest {
  /** Counted from 1, over all requests of the storage. */
  readonly number: number;
  readonly type: "query" | "get" | "write" | "transact";
  readonly table: string;
  /** What a write does; empty for a read. */
  readonly operations: readonly WriteOperation[];
  /** What went wrong with it, once the plan has said so. */
  readonly fault?: Fault;
}

/**
 * Says what goes wrong with a request; undefined for nothing. It may do something first, such as a write of somebody
 * else: the request waits for it.
 */
export type FaultPlan = (request: FaultedRequest) => Fault | undefined | Promise<Fault | undefined>;

/** A storage that fails as planned. */
export interface FaultyStorage extends TableStorage {
  /** Every request so far, failed ones included. */
  readonly requests: readonly FaultedRequest[];
  /** Does what came `late` now; after it, nothing is on its way any more. */
  settle(): Promise<void>;
}

/** A plan for the writes only, in their order: `writeFaults("reset-after", undefined, "refused")`. */
export function writeFaults(...planned: readonly (Fault | undefined)[]): FaultPlan {
  for (const fault of planned) checkFault(fault);
  let next = 0;
  return ({ type }) => (type === "write" || type === "transact" ? planned[next++] : undefined);
}

/**
 * The same storage, whose requests fail as the plan says, before or after they were carried out. Faults look as a
 * network or the service makes them, so that what is concluded from them can be tested.
 */
export function withFaults(storage: TableStorage, plan: FaultPlan): FaultyStorage {
  const requests: FaultedRequest[] = [];
  let late: (() => Promise<unknown>)[] = [];

  const settle = async (): Promise<void> => {
    const due = late;
    late = [];
    // Nobody waits for these answers: a refusal of one is lost with it.
    for (const work of due) await work().catch(() => undefined);
  };
  const run = async <Result>(
    request: Omit<FaultedRequest, "number" | "fault">,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const told: { -readonly [Name in keyof FaultedRequest]: FaultedRequest[Name] } = {
      number: requests.length + 1,
      ...request,
    };
    requests.push(told);
    const fault = checkFault(await plan(told));
    if (fault !== undefined) told.fault = fault;
    const isWrite = told.operations.length > 0;
    const due = late.length > 0;
    try {
      if (fault === undefined) return await work();
      if (fault.endsWith("-after")) await work();
      if (fault === "late" && isWrite) late.push(work);
    } finally {
      if (due) await settle();
    }
    throw failureOf(fault, isWrite);
  };

  return {
    description: `${storage.description} with faults`,
    requests,
    settle,
    query: (table, query, options) =>
      run({ type: "query", table, operations: [] }, () => storage.query(table, query, options)),
    get: (table, key, options) =>
      run({ type: "get", table, operations: [] }, () => storage.get(table, key, options)),
    write: (table, operation, options) =>
      run({ type: "write", table, operations: [operation] }, () => storage.write(table, operation, options)),
    transact: (table, operations, options) =>
      run({ type: "transact", table, operations }, () => storage.transact(table, operations, options)),
    createTable: (table, options) => storage.createTable(table, options),
    deleteTable: (table, options) => storage.deleteTable(table, options),
    listTables: (options) => storage.listTables(options),
    close: () => storage.close(),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

/** @throws TypeError for a fault there is not */
function checkFault(fault: Fault | undefined): Fault | undefined {
  if (fault === undefined || faults.includes(fault)) return fault;
  throw new TypeError(`There is no fault "${String(fault)}". There are: ${faults.join(", ")}.`);
}

/** The error an adapter raises for the fault. */
function failureOf(fault: Fault, isWrite: boolean): StorageError {
  const applied = isWrite ? "maybe" : "no";
  switch (fault) {
    case "refused":
      return new StorageError("storage.unreachable", "The service cannot be reached (ECONNREFUSED).", {
        applied: "no",
      });
    case "throttled":
      return StorageError.ofAnswer("TooManyRequests", "Too many requests.", { applied: "no", status: 429 });
    case "busy-before":
    case "busy-after":
      return StorageError.ofAnswer("ServerBusy", "The server is busy.", {
        applied,
        status: 503,
        serviceCode: "ServerBusy",
      });
    case "error-before":
    case "error-after":
      return StorageError.ofAnswer("InternalError", "The server encountered an internal error.", {
        applied,
        status: 500,
        serviceCode: "InternalError",
      });
    case "reset-before":
    case "reset-after":
      return new StorageError(
        "storage.connection-lost",
        "The connection broke before an answer came (ECONNRESET).",
        { applied },
      );
    case "truncated-before":
    case "truncated-after":
      return new StorageError("storage.truncated", "The answer broke off before its end (ECONNRESET).", {
        applied,
      });
    case "timeout-before":
    case "timeout-after":
    case "late":
      return new StorageError("storage.timeout", "No whole answer came within 20000 ms.", { applied });
    default:
      return fault satisfies never;
  }
}
