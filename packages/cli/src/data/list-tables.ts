import type { TableStorage } from "@partita/core";
import { openTarget } from "../storage/open-target.ts";
import { retryRead } from "../storage/retry-read.ts";
import { printable } from "../terminal/printable.ts";
import { warnOfKeyNames } from "./key-names.ts";
import { rowsOf } from "./read-rows.ts";
import { inSession, type Session } from "../session/session.ts";

/** Options as given. */
interface TablesOptions {
  readonly count?: boolean;
  readonly json?: boolean;
}

/** `partita tables`: prints the names of all tables. */
export function listTables([storage = ""]: readonly string[], options: TablesOptions): Promise<number> {
  return inSession(async (session) => {
    await using opened = await openTarget(storage);
    const names = await retryRead(() => opened.listTables({ signal: session.signal }), session.signal);
    for (const name of names) await session.out.line(await lineOf(opened, name, options, session));
    if (names.length === 0) session.say("There are no tables.");
    return 0;
  });
}

async function lineOf(
  storage: TableStorage,
  table: string,
  { count = false, json = false }: TablesOptions,
  session: Session,
): Promise<string> {
  const rows = count ? await countRows(storage, table, undefined, session) : undefined;
  if (json || (!session.out.isTerminal && count)) return JSON.stringify({ table, rows });
  const name = printable(table);
  return rows === undefined ? name : `${rows.toLocaleString("en").padStart(12)}  ${name}`;
}

/** `partita count`: prints the number of rows of a table, or of those that match a filter. */
export function count(
  [storage = "", table = ""]: readonly string[],
  { filter }: { readonly filter?: string },
): Promise<number> {
  return inSession(async (session) => {
    warnOfKeyNames(filter, session);
    await using opened = await openTarget(storage);
    const rows = await countRows(opened, table, filter, session);
    await session.out.line(session.out.isTerminal ? rows.toLocaleString("en") : String(rows));
    return 0;
  });
}

/** Reads the keys of all rows, because no storage counts them. */
export async function countRows(
  storage: TableStorage,
  table: string,
  filter: string | undefined,
  { bar, signal }: Pick<Session, "bar" | "signal">,
): Promise<number> {
  let rows = 0;
  for await (const _row of rowsOf(storage, table, { filter, columns: [], signal })) {
    rows++;
    if (rows % 1000 === 0) bar.say(`${table}  ${rows.toLocaleString("en")} rows`);
  }
  bar.end();
  return rows;
}
