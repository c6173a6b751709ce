import { openStorage, type RetryPolicy, TableContext, type TableStorage } from "@partita/core";
import { systemClock } from "@partita/core/rest";
import { TableClient } from "@azure/data-tables";
import { startTableServer, type TableServer } from "@partita/server";
import {
  type Fault,
  type FaultedRequest,
  type FaultKind,
  faultKinds,
  type FaultLog,
  type FaultPlace,
  faultPlaces,
  isPossibleFault,
  manualClock,
  virtualClock,
  withFaults,
} from "../../src/index.ts";
import {
  type Operation,
  operationsOn,
  type Proof,
  proofs,
  tableCreation,
  tables,
  type Told,
  toldByDataTables,
  toldByPartita,
} from "./operations.ts";

/** One cell of the matrix, and what came of it. */
export interface Cell {
  readonly operation: string;
  readonly kind: FaultKind;
  readonly place: FaultPlace;
  readonly isFenced: boolean;
  /** Whether it is a removal, of which nothing more can be found out once its row is gone. */
  readonly removes: boolean;
  readonly reported: Told;
  /** Whether it was carried out by the time it was told. */
  readonly isApplied: boolean;
  /** What was told after the fault was over, when it was unknown. */
  readonly toldLater: Told | undefined;
  /** Whether it was carried out in the end, with what came late. */
  readonly isAppliedLater: boolean;
}

export const cells: readonly { readonly kind: FaultKind; readonly place: FaultPlace }[] = faultKinds.flatMap(
  (kind) => faultPlaces.map((place) => ({ kind, place })),
);

/**
 * The faults of a cell's requests, in their order. What never leaves cannot fail before or after it was carried out:
 * there it strikes the second try, after a first one that was reset at that place.
 */
function faultsOf(kind: FaultKind, place: FaultPlace): Fault[] {
  return isPossibleFault(kind, place) ? [`${kind}-${place}`] : [`reset-${place}`, kind];
}

/** A store with both rows, whose writes can be made to fail. */
interface Bench {
  readonly inner: TableStorage;
  readonly log: FaultLog;
  /** Fails the next writes so; `everything` fails all requests, the last fault again and again. */
  fail(faults: readonly Fault[], everything: boolean): void;
  heal(): void;
}

function benchOver(
  inner: TableStorage,
  install: (plan: (request: FaultedRequest) => Fault | undefined) => FaultLog,
): Bench {
  let left: Fault[] = [];
  let isEverything = false;
  const log = install(({ type }) => {
    const isWrite = type !== "get" && type !== "query";
    if (!isWrite && !isEverything) return undefined;
    return isEverything && left.length === 1 ? left[0] : left.shift();
  });
  return {
    inner,
    log,
    fail(faults, everything) {
      left = [...faults];
      isEverything = everything;
    },
    heal() {
      left = [];
      isEverything = false;
    },
  };
}

/** Each cell has a partition or a table of its own. */
let used = 0;

export interface RunOptions {
  /** Whether every request fails until the fault is over, not only one write. */
  readonly everything: boolean;
  readonly proof?: Proof;
  /** How often the change is saved while the fault lasts: what is told last counts. */
  readonly saves?: number;
}

const retry: RetryPolicy = { attempts: 4, delayMs: 0 };
/** Where everything fails, no try comes through: two show all faults of a cell, and more repeat the last one. */
const fewTries: RetryPolicy = { attempts: 2, delayMs: 0 };

/** All cells over one storage, through Partita. */
export async function runPartita(
  bench: Bench,
  storage: TableStorage,
  { everything, proof = "content", saves = 1 }: RunOptions,
): Promise<Cell[]> {
  const results: Cell[] = [];
  for (const { kind, place } of cells) {
    for (const operation of operationsOn(proof)) {
      const clock = virtualClock();
      const pk = `p${used++ % partitions}`;
      const context = new TableContext(storage, { retry: everything ? fewTries : retry, clock });
      const save = await operation.partita(context, pk);
      bench.fail(faultsOf(kind, place), everything);
      let reported = await toldByPartita(save);
      // What is known stays so: there is nothing to save then, or a change that was refused.
      for (let n = 1; n < saves && reported === "unknown" && context.pendingChanges().length > 0; n++) {
        bench.fail(["refused"], everything);
        reported = await toldByPartita(save);
      }
      bench.heal();
      results.push(
        await judge({ bench, operation, kind, place, reported, pk, later: () => settled(context) }),
      );
    }
    results.push(await createTable(bench, storage, kind, place, everything));
  }
  return results;
}

/** What is not there may have been removed since it was stored, and is found out by storing it again. */
async function settled(context: TableContext): Promise<Told> {
  const results = await context.resolveInDoubt({ wait: true });
  // A removal whose row is gone: nobody can find out more.
  if (results.length === 0) return "unknown";
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  if (outcomes.size > 1 && !outcomes.has("unknown")) throw new Error("A transaction has two outcomes.");
  if (!outcomes.has("unknown")) return results[0]?.outcome as Told;
  return context.size === 0 ? "unknown" : toldByPartita(() => context.saveChanges());
}

interface Judged {
  readonly bench: Bench;
  readonly operation: Pick<Operation, "name" | "isFenced" | "removes" | "isApplied">;
  readonly kind: FaultKind;
  readonly place: FaultPlace;
  readonly reported: Told;
  readonly pk: string;
  readonly later: () => Promise<Told>;
}

async function judge({ bench, operation, kind, place, reported, pk, later }: Judged): Promise<Cell> {
  const isApplied = await operation.isApplied(bench.inner, pk);
  const toldLater = reported === "unknown" ? await later() : undefined;
  await bench.log.settle();
  const isAppliedLater = await operation.isApplied(bench.inner, pk);
  const { name, isFenced, removes = false } = operation;
  return { operation: name, kind, place, isFenced, removes, reported, isApplied, toldLater, isAppliedLater };
}

async function createTable(
  bench: Bench,
  storage: TableStorage,
  kind: FaultKind,
  place: FaultPlace,
  everything: boolean,
): Promise<Cell> {
  const name = `Table${used++}`;
  const clock = virtualClock();
  const create = (): Promise<Told> =>
    toldByPartita(() => tableCreation.create(storage, name, { retry, clock }));
  bench.fail(faultsOf(kind, place), everything);
  const reported = await create();
  bench.heal();
  const operation = {
    name: tableCreation.name,
    isFenced: true,
    isApplied: async (inner: TableStorage) => (await inner.listTables()).includes(name),
  };
  return judge({ bench, operation, kind, place, reported, pk: "", later: create });
}

/** All cells over a server, through the official client, which retries as it does by default, only faster. */
export async function runDataTables(bench: Bench, server: TableServer): Promise<Cell[]> {
  const results: Cell[] = [];
  const options = {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 },
  };
  const clientOf = (table: string): TableClient =>
    TableClient.fromConnectionString(server.connectionString, table, options);
  const client = clientOf("Rows");
  const open = async (): Promise<Told> => "unknown";
  for (const { kind, place } of cells) {
    for (const operation of operationsOn("content")) {
      const pk = `p${used++ % partitions}`;
      const save = await operation.dataTables(client, pk);
      bench.fail(faultsOf(kind, place), false);
      const reported = await toldByDataTables(() => limited(bench.log, save()));
      bench.heal();
      results.push(await judge({ bench, operation, kind, place, reported, pk, later: open }));
    }
    const name = `Table${used++}`;
    bench.fail(faultsOf(kind, place), false);
    const reported = await toldByDataTables(() => limited(bench.log, clientOf(name).createTable()));
    bench.heal();
    const isApplied = async (inner: TableStorage): Promise<boolean> =>
      (await inner.listTables()).includes(name);
    const operation = { name: tableCreation.name, isFenced: true, isApplied };
    results.push(await judge({ bench, operation, kind, place, reported, pk: "", later: open }));
  }
  return results;
}

/** The official client waits for ever: whoever uses it gives up once the server will not answer. */
const limited = <Result>(log: FaultLog, promise: Promise<Result>): Promise<Result> =>
  Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      log.onFault = (request) => {
        if (isUnanswered(request)) reject(new Error("no answer"));
      };
    }),
  ]);

const isUnanswered = ({ fault }: FaultedRequest): boolean => fault?.startsWith("timeout") === true;

/** A storage in memory that fails by itself. */
export async function storageBench(): Promise<{ readonly bench: Bench; readonly storage: TableStorage }> {
  const inner = await openRows();
  let storage: TableStorage | undefined;
  const bench = benchOver(inner, (plan) => {
    const faulty = withFaults(inner, plan);
    storage = faulty;
    return faulty;
  });
  return { bench, storage: storage as unknown as TableStorage };
}

/** A storage over sockets, whose server fails. */
export async function serverBench(): Promise<{
  readonly bench: Bench;
  readonly server: TableServer;
  readonly storage: TableStorage;
}> {
  const inner = await openRows();
  const server = await startTableServer({ storage: inner });
  const bench = benchOver(inner, (plan) => withFaults(server, plan));
  const clock = manualClock();
  // Requests time out when the server leaves them without an answer, at whatever speed the machine runs.
  bench.log.onFault = (request) => {
    if (isUnanswered(request)) clock.advance(timeoutMs);
  };
  const timeouts = { readMs: timeoutMs, writeMs: timeoutMs };
  const storage = await openStorage(server.connectionString, { timeouts, clock });
  return { bench, server, storage };
}

const partitions = 10 * cells.length;
const timeoutMs = 10_000;

/** Rows that were stored an hour ago, so that nobody can think they were written just now. */
async function openRows(): Promise<TableStorage> {
  let age = 3_600_000;
  const inner = await openStorage("memory:", { clock: { ...systemClock, now: () => Date.now() - age } });
  for (const proof of proofs) await openTable(inner, tables[proof]);
  age = 0;
  return inner;
}

async function openTable(inner: TableStorage, table: string): Promise<void> {
  await inner.createTable(table);
  for (let i = 0; i < partitions; i++)
    await inner.transact(
      table,
      ["a", "b"].map((RowKey) => ({
        type: "insert",
        entity: { PartitionKey: `p${i}`, RowKey, n: 0 },
      })),
    );
}

/** What a client said that is not so. */
export const isFalseCommitted = ({ reported, toldLater, isApplied, isAppliedLater }: Cell): boolean =>
  (reported === "committed" && !isApplied) || (toldLater === "committed" && !isAppliedLater);
export const isFalseRejected = ({ reported, toldLater, isAppliedLater }: Cell): boolean =>
  (toldLater ?? reported) === "rejected" && isAppliedLater;

/** Counts of what is told, by operation: one line each, for several clients side by side. */
export function printMatrix(clients: Readonly<Record<string, readonly Cell[]>>): string {
  const names = Object.keys(clients);
  const rows = [...new Set(Object.values(clients).flatMap((list) => list.map(({ operation }) => operation)))];
  const head = `| write | ${names.map((name) => `${name}: cells, unknown, false committed, false rejected`).join(" | ")} |`;
  const line = (of: (cell: Cell) => boolean, title: string): string =>
    `| ${title} | ${names.map((name) => countsOf((clients[name] ?? []).filter(of))).join(" | ")} |`;
  return [
    head,
    `|${"---|".repeat(names.length + 1)}`,
    ...rows.map((operation) => line((cell) => cell.operation === operation, operation)),
    line(() => true, "all"),
  ].join("\n");
}

const countsOf = (list: readonly Cell[]): string =>
  [
    list.length,
    list.filter(({ reported }) => reported === "unknown").length,
    list.filter(isFalseCommitted).length,
    list.filter(isFalseRejected).length,
  ].join(", ");
