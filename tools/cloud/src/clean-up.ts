import type { TableStorage } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import { ageOf } from "./own-names.ts";

/** A run that started longer ago has ended, or was killed. */
const longestRunMs = 6 * 60 * 60 * 1000;

/** Deletes the tables and queues of a run, at its end. Returns how many there were. */
export const removeOwn = (
  prefix: string,
  storage: TableStorage,
  queues: QueueStorage | undefined,
): Promise<number> => removeNamed((name) => name.toLowerCase().startsWith(prefix), storage, queues);

/** Deletes the leftovers of killed runs. Returns the number of tables and queues. */
export const removeLeftovers = (
  now: number,
  storage: TableStorage,
  queues: QueueStorage | undefined,
): Promise<number> => removeNamed((name) => (ageOf(name, now) ?? 0) > longestRunMs, storage, queues);

async function removeNamed(
  isMeant: (name: string) => boolean,
  storage: TableStorage,
  queues: QueueStorage | undefined,
): Promise<number> {
  const tables = (await storage.listTables()).filter(isMeant);
  const named = ((await queues?.listQueues()) ?? []).filter(isMeant);
  // Another run may delete the same leftovers.
  for (const table of tables) await storage.deleteTable(table).catch(unlessMissing);
  for (const queue of named) await queues?.deleteQueue(queue).catch(unlessMissing);
  return tables.length + named.length;
}

function unlessMissing(error: unknown): void {
  if ((error as { readonly status?: number }).status !== 404) throw error;
}
