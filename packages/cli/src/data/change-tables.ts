import type { TableStorage } from "@partita/core";
import { createMissingTable, isTableName } from "@partita/core/internal";
import { openTarget } from "../storage/open-target.ts";
import { retryRead } from "../storage/retry-read.ts";
import { CommandError, inSession, type Session } from "../session/session.ts";
import { UsageError } from "../session/usage-error.ts";
import { confirm } from "../terminal/confirm.ts";
import { printable } from "../terminal/printable.ts";

/** `partita create-table`: creates an empty table. */
export async function createTable(
  [storage = "", table = ""]: readonly string[],
  { ifMissing = false }: { readonly ifMissing?: boolean },
): Promise<number> {
  if (!isTableName(table))
    throw new UsageError("A table needs a name of 3 to 63 letters and digits, beginning with a letter.");
  return inSession(async ({ say, signal }) => {
    await using opened = await openTarget(storage, { mayCreate: true });
    const isCreated = await createMissingTable(opened, table, { signal });
    if (!isCreated && !ifMissing)
      throw new CommandError(`The table ${table} exists already. With --if-missing, this is no failure.`);
    say(isCreated ? `Created ${table}.` : `${table} exists already.`);
    return 0;
  });
}

/** `partita drop-table`: deletes a table. Returns the exit code: 1 if the user does not agree. */
export function dropTable(
  [storage = "", table = ""]: readonly string[],
  { yes = false }: { readonly yes?: boolean },
): Promise<number> {
  return inSession(async (session) => {
    await using opened = await openTarget(storage);
    const name = await storedName(opened, table, session);
    const consequence = `This deletes ${name} of ${opened.description} with all its rows.`;
    if (!(await confirm({ consequence, answer: name, yes }, session))) return 1;
    await opened.deleteTable(name, { signal: session.signal });
    session.say(`Deleted ${name}.`);
    return 0;
  });
}

/** The name that a table was created with. Names are case-insensitive. @throws CommandError if there is no such table */
async function storedName(storage: TableStorage, table: string, { signal }: Session): Promise<string> {
  const names = await retryRead(() => storage.listTables({ signal }), signal);
  const found = names.find((name) => name.toLowerCase() === table.toLowerCase());
  if (found !== undefined) return found;
  throw new CommandError(`There is no table ${printable(table)}. partita tables prints the existing tables.`);
}
