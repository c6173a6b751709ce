// A process of its own: appends to lists in a file while responses are lost, and kills itself at a request of its own count.
import { writeSync } from "node:fs";
import { openStorage, SaveError, StorageError, TableContext } from "@partita/core";
import { countedStorage, countedUntil, deathOf, killProcess } from "@partita/test-support/death";
import { type ListOperation, randomFaults, randomNumbers, withFaults } from "../../../src/index.ts";
import { type Note, readAll, sharedTime } from "./lists.ts";

/** The file, a name, how many transactions, and a request by its number; 0 for a process that lives. */
const [path = "", name = "", transactions = "0", request = "0", isCarriedOut = "false"] =
  process.argv.slice(2);

/** What was written is not lost with the process. */
const note = (one: Note): number => writeSync(1, `${JSON.stringify(one)}\n`);
const seed = Buffer.from(name).reduce((sum, byte) => (31 * sum + byte) % 2 ** 31, 7);
const random = randomNumbers(seed);

await using file = await openStorage(`file:${path}`, { busyTimeoutMs: 600_000, durability: "normal" });
const counted = countedUntil(deathOf(request, isCarriedOut), killProcess);
const storage = withFaults(countedStorage(file, counted), randomFaults({ seed, rate: 0.2 }));

for (let step = 1; step <= Number(transactions); step++) {
  note({ step, began: sharedTime() });
  const outcome = await append(step);
  note({ step, ended: sharedTime(), outcome });
}
await storage.settle();

/** Reads lists and appends to most of them in one transaction. */
async function append(step: number): Promise<"done" | "failed" | "unknown"> {
  const context = new TableContext(storage, { retry: { attempts: 2, delayMs: 1 } });
  try {
    const rows = await readAll(context);
    const skipped = Math.floor(random() * 2 * rows.length);
    const value: ListOperation[] = [];
    for (const row of rows.filter((_, i) => i !== skipped)) {
      const own = `${name}.${step}`;
      value.push({ list: row.name, read: row.values }, { list: row.name, append: own });
      row.values = [...row.values, own];
    }
    note({ step, value });
    await context.saveChanges({ batch: "atomic" });
    return "done";
  } catch (error) {
    if (StorageError.is(error)) return "failed";
    if (!SaveError.is(error)) throw error;
    return error.results.every(({ outcome }) => outcome === "rejected") ? "failed" : "unknown";
  }
}
