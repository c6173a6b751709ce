import type { DatabaseSync } from "node:sqlite";

/** Runs `work` in one synchronous transaction, which is rolled back where it throws. */
export function inTransaction<Result>(database: DatabaseSync, begin: string, work: () => Result): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } finally {
    // Before anything else can run: an open transaction would swallow other work.
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}
