import {
  createTables,
  defineEntity,
  int32,
  json,
  SaveError,
  StorageError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import { randomNumbers, type VirtualClock } from "../../src/index.ts";

/** A row that several contexts change at once. Every change leaves its id in the list. */
class Account extends defineEntity({
  table: "Accounts",
  partitionKey: { bank: text() },
  rowKey: { id: text() },
  properties: { balance: int32(), count: int32(), log: json<string[]>() },
  proof: "marker",
}) {}

/** What one try of an update came to, as its context told it. */
export interface Update {
  readonly id: string;
  readonly type: "increment" | "append" | "transfer";
  /** The rows it changes: two of one partition for a transfer. */
  readonly keys: readonly string[];
  readonly reported: "committed" | "rejected" | "unknown";
}

export interface WorkloadOptions {
  readonly storage: TableStorage;
  readonly clock: VirtualClock;
  readonly seed: number;
  /** Updates that are to be committed, by all contexts together. */
  readonly updates: number;
  readonly contexts: number;
  /** How an unknown outcome is settled; a wrong way is a bug to be found. */
  readonly settle?: (context: TableContext) => Promise<Update["reported"]>;
}

const banks = 4;
const accountsOfBank = 4;
const initialBalance = 1000;

export const keys: readonly string[] = Array.from(
  { length: banks * accountsOfBank },
  (_, i) => `b${Math.floor(i / accountsOfBank)}/a${i % accountsOfBank}`,
);

const keyOf = (key: string): { bank: string; id: string } => {
  const [bank = "", id = ""] = key.split("/");
  return { bank, id };
};

export async function openAccounts(inner: TableStorage): Promise<void> {
  await createTables(inner, [Account]);
  const context = new TableContext(inner);
  for (const key of keys)
    context.add(new Account({ ...keyOf(key), balance: initialBalance, count: 0, log: [] }));
  await context.saveChanges();
}

/** Runs updates from several contexts at once until enough of them are committed. */
export async function runWorkload(options: WorkloadOptions): Promise<Update[]> {
  const history: Update[] = [];
  let left = options.updates;
  const worker = async (name: number): Promise<void> => {
    const random = randomNumbers(options.seed * 1000 + name);
    for (let turn = 0; left > 0; turn++) {
      const type = (["increment", "append", "transfer"] as const)[Math.floor(random() * 3)] ?? "increment";
      const first = Math.floor(random() * keys.length);
      const bank = first - (first % accountsOfBank);
      const other = bank + ((first + 1 + Math.floor(random() * (accountsOfBank - 1))) % accountsOfBank);
      const chosen = [first, ...(type === "transfer" ? [other] : [])].map((i) => keys[i] as string);
      const reported = await update(options, `${name}.${turn}`, type, chosen);
      if (reported === undefined) continue;
      history.push({ id: `${name}.${turn}`, type, keys: chosen, reported });
      if (reported === "committed") left--;
    }
  };
  await Promise.all(Array.from({ length: options.contexts }, (_, name) => worker(name)));
  return history;
}

/** One update in a context of its own; undefined when nothing was sent. */
async function update(
  { storage, clock, settle = settled }: WorkloadOptions,
  id: string,
  type: Update["type"],
  chosen: readonly string[],
): Promise<Update["reported"] | undefined> {
  const context = new TableContext(storage, { clock });
  let accounts: readonly (Account | undefined)[];
  try {
    accounts = await Promise.all(chosen.map((key) => context.find(Account, keyOf(key))));
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
  for (const [i, account] of accounts.entries()) {
    if (account === undefined) throw new Error(`${chosen[i]} is gone`);
    account.log = [...account.log, id];
    if (type === "increment") account.count++;
    if (type === "transfer") account.balance += i === 0 ? -1 : 1;
  }
  try {
    await context.saveChanges({ batch: "atomic" });
    return "committed";
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    const outcomes = new Set(error.results.map(({ outcome }) => outcome));
    if (outcomes.size !== 1) throw new Error("a transaction is stored whole or not at all", { cause: error });
    return outcomes.has("unknown") ? settle(context) : "rejected";
  }
}

async function settled(context: TableContext): Promise<Update["reported"]> {
  const results = await context.resolveInDoubt({ wait: true });
  const outcomes = [...new Set(results.map(({ outcome }) => outcome))];
  if (outcomes.length !== 1) throw new Error(`one transaction has ${outcomes.length} outcomes`);
  return outcomes[0] as Update["reported"];
}
