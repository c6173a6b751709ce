import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in one synchronous transaction, which is rolled back if it throws. */
export function inTransaction<Result>(database: DatabaseSync, begin: string, work: () => Result): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } finally {
    // Roll back before other work can run, which would otherwise join the open transaction.
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}
