import type { TableStorage } from "@partita/core";
import { existingAdvice } from "../session/command-words.ts";
import { CommandError, type Session } from "../session/session.ts";
import { retryRead } from "../storage/retry-read.ts";
import { printable } from "../terminal/printable.ts";

/**
 * With `--existing refuse`, a command must not mix its rows with others.
 *
 * @param done - the work of the command: `restored`
 * @throws CommandError for a table that has rows
 */
export async function checkEmpty(
  storage: TableStorage,
  tables: readonly string[],
  done: string,
  { signal }: Session,
): Promise<void> {
  const names = await retryRead(() => storage.listTables({ signal }), signal);
  const there = new Set(names.map((name) => name.toLowerCase()));
  for (const table of tables) {
    if (!there.has(table.toLowerCase())) continue;
    const { entities } = await retryRead(() => storage.query(table, { top: 1 }, { signal }), signal);
    if (entities.length > 0)
      throw new CommandError(`${printable(table)} already has rows. Nothing was ${done}. ${existingAdvice}`);
  }
}
