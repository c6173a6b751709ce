import type { Observation } from "../history/journal.ts";
import type { ListOperation } from "../history/observe.ts";
import { findCycle, type Link } from "./find-cycle.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/** The values of each list, by partition and list name. */
export type StoredLists = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

/** Options of `appends`. */
export interface AppendsOptions {
  /** Reads all lists at the end of a run, to include appends that no actor read: by partition and list. */
  readonly stored?: ((run: SimulatedRun) => StoredLists | Promise<StoredLists>) | undefined;
}

/**
 * Checks that transactions which read lists and append unique values to them are strictly serializable in each
 * partition. Every list that was read is a prefix of the longest one; no append is lost, duplicated, or read after it
 * failed; and some order of the transactions explains all reads. The method is Elle's list-append check, by Kingsbury
 * and Alvaro.
 */
export function appends({ stored }: AppendsOptions = {}): NamedCheck {
  return {
    name: "appends",
    begin: (run) => ({
      async atEnd() {
        const lists = await stored?.(run);
        const partitions = Map.groupBy(
          run.journal.observations.filter(({ type }) => type === "lists"),
          ({ name }) => name,
        );
        for (const [name, observations] of partitions) {
          const transactions = observations.filter(({ outcome }) => outcome !== "failed").map(transactionOf);
          if (lists !== undefined) transactions.push(lastRead(lists[name] ?? {}));
          const failed = observations.filter(({ outcome }) => outcome === "failed").map(transactionOf);
          const problem = findAnomaly(transactions, failed);
          if (problem !== undefined) return `partition "${name}": ${problem}`;
        }
        return undefined;
      },
    }),
  };
}

interface Transaction {
  readonly label: string;
  readonly reads: ReadonlyMap<string, readonly string[]>;
  readonly appended: readonly (readonly [list: string, value: string])[];
  readonly began: number;
  /** Infinite if its end is unknown. */
  readonly ended: number;
  readonly isDone: boolean;
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? "undefined";

/** Reads of a transaction only count if it is known to be stored completely. */
function transactionOf({ actor, step, value, outcome, began, ended }: Observation): Transaction {
  const operations = value as readonly ListOperation[];
  const isDone = outcome === "done";
  return {
    label: `${actor} in step ${step}`,
    reads: new Map(
      operations.flatMap(({ list, read }) =>
        read !== undefined && isDone ? [[list, read.map(textOf)]] : [],
      ),
    ),
    appended: operations.flatMap((one) => ("append" in one ? [[one.list, textOf(one.append)] as const] : [])),
    began,
    ended: isDone ? ended : Number.POSITIVE_INFINITY,
    isDone,
  };
}

const lastRead = (lists: StoredLists[string]): Transaction => ({
  label: "the final state",
  reads: new Map(Object.entries(lists).map(([list, values]) => [list, values.map(textOf)])),
  appended: [],
  began: Number.MAX_SAFE_INTEGER,
  ended: Number.POSITIVE_INFINITY,
  isDone: true,
});

function findAnomaly(
  transactions: readonly Transaction[],
  failed: readonly Transaction[],
): string | undefined {
  const orders = new Map<string, readonly string[]>();
  const appenders = appendersOf(transactions);
  const aborted = appendersOf(failed);
  for (const list of new Set(transactions.flatMap(({ reads }) => [...reads.keys()]))) {
    const readers = transactions.filter(({ reads }) => reads.has(list));
    const found = readers.map(({ reads }) => reads.get(list) as readonly string[]);
    const longest = found.reduce((a, b) => (b.length > a.length ? b : a), []);
    for (const [i, values] of found.entries()) {
      const { label } = readers[i] as Transaction;
      const problem = problemOf(list, values, longest, appenders, aborted);
      if (problem !== undefined) return `${label} read ${problem}`;
    }
    orders.set(list, longest);
  }
  const lost = findLost(transactions, orders);
  if (lost !== undefined) return lost;
  const cycle = findCycle(linksOf(transactions, orders, appenders));
  if (cycle === undefined) return undefined;
  const steps = cycle.map(({ from, why }) => `${transactions[from]?.label} ${why}`);
  return `no order of the transactions explains what they read: ${steps.join("; ")}`;
}

/** The index of the transaction that appended each value. */
function appendersOf(transactions: readonly Transaction[]): ReadonlyMap<string, number> {
  return new Map(
    transactions.flatMap(({ appended }, i) =>
      appended.map(([list, value]) => [`${list} ${value}`, i] as const),
    ),
  );
}

function problemOf(
  list: string,
  values: readonly string[],
  longest: readonly string[],
  appenders: ReadonlyMap<string, number>,
  aborted: ReadonlyMap<string, number>,
): string | undefined {
  const read = `list ${list} as [${values.join(", ")}]`;
  const doubled = values.find((value, i) => values.indexOf(value) < i);
  if (doubled !== undefined) return `${read}, which contains ${doubled} twice`;
  const phantom = values.find((value) => !appenders.has(`${list} ${value}`));
  if (phantom !== undefined) {
    const why = aborted.has(`${list} ${phantom}`) ? "failed" : "is unknown";
    return `${read}, and the append of ${phantom} ${why}`;
  }
  if (values.some((value, i) => value !== longest[i]))
    return `${read}, which is not a prefix of [${longest.join(", ")}]`;
  return undefined;
}

/** An append that ended before a read which does not contain it. */
function findLost(
  transactions: readonly Transaction[],
  orders: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  for (const { label, appended, ended, isDone } of transactions)
    for (const [list, value] of isDone ? appended : []) {
      if (orders.get(list)?.includes(value) === true) continue;
      const reader = transactions.find(({ reads, began }) => reads.has(list) && began > ended);
      if (reader !== undefined)
        return `${label} appended ${value} to list ${list}, but ${reader.label} does not contain it`;
    }
  return undefined;
}

/** The required order of transactions: by the order of values, by reads, and by time. */
function linksOf(
  transactions: readonly Transaction[],
  orders: ReadonlyMap<string, readonly string[]>,
  appenders: ReadonlyMap<string, number>,
): Link[] {
  const links: Link[] = [];
  const link = (from: number | undefined, to: number | undefined, why: string): void => {
    if (from !== undefined && to !== undefined && from !== to) links.push({ from, to, why });
  };
  for (const [list, order] of orders) {
    const appenderOf = (at: number): number | undefined => appenders.get(`${list} ${order[at]}`);
    for (const at of order.keys())
      link(
        appenderOf(at - 1),
        appenderOf(at),
        `appended ${order[at - 1]} to list ${list} before ${order[at]}`,
      );
    for (const [i, { reads }] of transactions.entries()) {
      const length = reads.get(list)?.length;
      if (length === undefined) continue;
      link(appenderOf(length - 1), i, `appended ${order[length - 1]} to list ${list}, which was read`);
      link(i, appenderOf(length), `read list ${list} without ${order[length]}`);
    }
  }
  for (const [i, { ended, isDone }] of transactions.entries())
    for (const [j, { began }] of transactions.entries())
      if (isDone && ended < began) link(i, j, "had ended before");
  return links;
}
