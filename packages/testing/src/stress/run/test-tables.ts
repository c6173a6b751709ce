import { createTables, type EntityClass, StorageError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { prefixTables } from "@partita/core/internal";
import { randomBytes } from "node:crypto";

/** Tables of a test's own, beside those of the account. */
export interface TestTables {
  /** The storage that sees them, under the names that classes give them. */
  readonly storage: TableStorage;
  /** Removes them. What cannot be removed is named in a process warning: the test's result is not lost for it. */
  readonly remove: () => Promise<void>;
}

const removalAttempts = 4;
const removalPauseMs = 1000;

/** Creates the table of a class under a prefix that nobody else has. */
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
      `Tables of a stress test could not be removed from ${storage.description}: those whose names begin with ${prefix}. Remove them by hand.`,
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

/** Some tries, since the store may still be busy with the test. Undefined when all have failed. */
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

/** A lost answer may have removed it already. */
async function removeTable(storage: TableStorage, table: string): Promise<void> {
  try {
    await storage.deleteTable(table);
  } catch (error) {
    if (!StorageError.is(error) || error.status !== 404) throw error;
  }
}
