import { createTables, type EntityClass, StorageError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { prefixTables } from "@partita/core/internal";
import { randomBytes } from "node:crypto";

/** Separate tables for a test. */
export interface TestTables {
  /** The storage with these tables, under the names in their classes. */
  readonly storage: TableStorage;
  /** Deletes them. A process warning names tables that cannot be deleted; the test's result remains available. */
  readonly remove: () => Promise<void>;
}

const removalAttempts = 4;
const removalPauseMs = 1000;

/** Creates the table of a class with a unique prefix. */
export async function createTestTables(
  storage: TableStorage,
  entityClass: EntityClass,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<TestTables> {
  const prefix = `Stress${randomBytes(5).toString("hex")}`;
  const own = prefixTables(storage, prefix);
  const remove = async (): Promise<void> => {
    const tables = await attempt(clock, () => own.listTables());
    for (const table of tables ?? []) await attempt(clock, () => removeTable(own, table));
    const left = tables === undefined ? [] : await attempt(clock, () => own.listTables());
    if (tables !== undefined && left?.length === 0) return;
    process.emitWarning(
      `Tables of a stress test could not be deleted from ${storage.description}. Their names begin with ${prefix}. Delete them by hand.`,
      { code: "PARTITA_STRESS_TABLES" },
    );
  };
  try {
    await createTables(own, [entityClass], { clock, signal });
  } catch (error) {
    await remove();
    throw error;
  }
  return { storage: own, remove };
}

/** Retries a few times, since the store may still be busy with the test. Undefined if all attempts failed. */
async function attempt<Result>(clock: Clock, work: () => Promise<Result>): Promise<Result | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch {
      if (tries === removalAttempts) return undefined;
      await clock.wait(removalPauseMs);
    }
  }
}

/** A request with a lost response may have deleted it already. */
async function removeTable(storage: TableStorage, table: string): Promise<void> {
  try {
    await storage.deleteTable(table);
  } catch (error) {
    if (!StorageError.is(error) || error.status !== 404) throw error;
  }
}
