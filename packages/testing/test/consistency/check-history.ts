import type { TableStorage } from "@partita/core";
import { keys, type Update } from "./workload.ts";

/** What is stored in one row. */
interface Row {
  readonly balance: number;
  readonly count: number;
  readonly log: readonly string[];
}

/** How a history and what is stored in the end contradict each other; none for a consistent run. */
export async function contradictions(storage: TableStorage, history: readonly Update[]): Promise<string[]> {
  const rows = new Map<string, Row>();
  for (const key of keys) {
    const [partitionKey = "", rowKey = ""] = key.split("/");
    const row = await storage.get("Accounts", { partitionKey, rowKey });
    if (row === undefined) return [`${key} is gone`];
    const log = JSON.parse(String(row["log"])) as string[];
    rows.set(key, { balance: Number(row["balance"]), count: Number(row["count"]), log });
  }
  return [...storedUpdates(rows, history), ...values(rows, history)];
}

/** Every committed update is in the list of each of its rows once; a rejected one in none; an unknown one in all or none. */
function storedUpdates(rows: ReadonlyMap<string, Row>, history: readonly Update[]): string[] {
  const counts = new Map<string, number>();
  for (const [key, { log }] of rows)
    for (const id of log) counts.set(`${key} ${id}`, (counts.get(`${key} ${id}`) ?? 0) + 1);
  const problems: string[] = [];
  for (const { id, keys: own, reported } of history) {
    const found = own.map((key) => counts.get(`${key} ${id}`) ?? 0);
    for (const key of own) counts.delete(`${key} ${id}`);
    if (found.some((count) => count > 1)) problems.push(`doubled: ${id}`);
    else if (new Set(found).size > 1) problems.push(`torn: ${id}`);
    else if (reported === "committed" && found[0] === 0) problems.push(`lost: ${id} was told to be stored`);
    else if (reported === "rejected" && found[0] === 1)
      problems.push(`phantom: ${id} was told not to be stored`);
  }
  // Updates that nobody was told of, or in rows that are none of theirs.
  return [...problems, ...[...counts.keys()].map((place) => `invented: ${place}`)];
}

/** What the lists say, the other values say too. */
function values(rows: ReadonlyMap<string, Row>, history: readonly Update[]): string[] {
  const updates = new Map(history.map((update) => [update.id, update]));
  const problems: string[] = [];
  let sum = 0;
  for (const [key, { balance, count, log }] of rows) {
    const known = log.flatMap((id) => updates.get(id) ?? []);
    const increments = known.filter(({ type }) => type === "increment").length;
    if (count !== increments) problems.push(`${key} counts ${count} of ${increments} increments`);
    const moved = known.map(({ type, keys: [from] }) => (type === "transfer" ? (from === key ? -1 : 1) : 0));
    const expected = 1000 + moved.reduce<number>((total, by) => total + by, 0);
    if (balance !== expected) problems.push(`${key} has ${balance} of ${expected}`);
    sum += balance;
  }
  if (sum !== 1000 * keys.length) problems.push(`the sum is ${sum}`);
  return problems;
}
