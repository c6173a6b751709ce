import { inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import { rowsOf } from "../data/read-rows.ts";
import { type ClassesOfTable, loadTarget, type Target } from "../modules/load-classes.ts";
import { isEntityRow } from "@partita/core/internal";
import { printable } from "../terminal/printable.ts";
import { type Difference, RowCheck } from "./row-check.ts";

/** Rows with the same difference. */
interface Finding extends Difference {
  rows: number;
  /** The keys of the first row. */
  readonly first: readonly [string, string];
}

/** `partita diff`: compares a module's classes with the stored rows. Returns the exit code. */
export function diff(
  args: readonly string[],
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  return inSession(async (session) => {
    const target = await loadTarget(args);
    await using _closed = target.storage;
    const there = new Set(
      (await target.storage.listTables({ signal: session.signal })).map((name) => name.toLowerCase()),
    );
    let isSame = true;
    for (const each of target.tables)
      if (there.has(each.table.toLowerCase()))
        isSame = (await diffTable(target, each, session, json)) && isSame;
      else {
        session.say(`${each.table}: the table does not exist.`);
        isSame = false;
      }
    return isSame ? 0 : 1;
  });
}

/** Whether all rows match the classes. */
async function diffTable(
  { core, storage }: Target,
  { table, classes }: ClassesOfTable,
  session: Session,
  json: boolean,
): Promise<boolean> {
  const check = new RowCheck(core, classes, storage);
  const findings = new Map<string, Finding>();
  let rows = 0;
  for await (const row of rowsOf(storage, table, { filter: undefined, signal: session.signal })) {
    if (!isEntityRow(row)) continue;
    for (const difference of await check.differencesOf(row)) {
      const found = findings.get(difference.id);
      if (found === undefined)
        findings.set(difference.id, { ...difference, rows: 1, first: [row.PartitionKey, row.RowKey] });
      else found.rows++;
    }
    rows++;
    if (rows % 1000 === 0) session.bar.say(`${table}  ${counted(rows, "row")}`);
  }
  session.bar.end();
  const sorted = [...findings.values()].toSorted((a, b) => b.rows - a.rows);
  for (const finding of sorted) await session.out.line(lineOf(table, finding, json));
  const others = sorted.length === 0 ? "all as declared" : counted(sorted.length, "difference");
  session.say(`${table}: ${counted(rows, "row")}, ${others}.`);
  return sorted.length === 0;
}

function lineOf(table: string, { code, message, rows, first }: Finding, json: boolean): string {
  const [partitionKey, rowKey] = first;
  // Escapes of terminal control characters are valid JSON.
  if (json) return printable(JSON.stringify({ table, code, rows, message, first: { partitionKey, rowKey } }));
  const place = `the first is (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
  return printable(`${table}  ${counted(rows, "row")}  ${code}  ${message}  ${place}`);
}
