import type { TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { UsageError } from "../session/usage-error.ts";
import { printable } from "../terminal/printable.ts";

const aRow =
  'put takes one row, as partita get and export print it: {"PartitionKey":"a","RowKey":"1","Count":"5","Count@odata.type":"Edm.Int64"}';

/** Reads one row from text in any form that an import reads. @throws UsageError */
export async function readOneRow(given: string, isMerge: boolean): Promise<StoredEntity> {
  const { text, json } = onOneLine(given.trim());
  // JSON starts with a bracket, and CSV has several lines.
  if (!/^[{[]|[\r\n]/.test(text)) throw new UsageError(aRow);
  const [row, ...others] = await rowsIn(text);
  if (row === undefined) throw new UsageError(aRow);
  if (others.length > 0)
    throw new UsageError(`The text has several rows. partita import writes them. ${aRow}`);
  if (isMerge) checkNoNull(json);
  return row;
}

/** A row of JSON may have several lines. Otherwise each line is a row. */
function onOneLine(text: string): { readonly text: string; readonly json?: unknown } {
  try {
    return { json: JSON.parse(text), text: text.replaceAll(/\s*[\r\n]\s*/g, " ") };
  } catch {
    return { text };
  }
}

async function rowsIn(text: string): Promise<readonly StoredEntity[]> {
  const { readRows, TransferError } = await import("@partita/transfer");
  const rows: StoredEntity[] = [];
  try {
    for await (const row of readRows(text)) rows.push(row);
    return rows;
  } catch (error) {
    if (!TransferError.is(error)) throw error;
    const problem = error.message
      .replace(/^Line 1 is/, "The text is")
      .replace(/ (?:Correct it, or skip|Set \{ types \}) .*$/, "");
    throw new UsageError(`${error.code}: ${problem} ${aRow}`);
  }
}

/** A merge ignores missing properties, and tables cannot store null. @throws UsageError */
function checkNoNull(json: unknown): void {
  const list = (json as { readonly value?: unknown } | undefined)?.value ?? json;
  const row: unknown = Array.isArray(list) ? list[0] : json;
  const [name] = Object.entries(row ?? {}).find(([, value]) => (value as unknown) === null) ?? [];
  if (name !== undefined)
    throw new UsageError(
      `${printable(name)} is null, which tables cannot store. A merge would leave the stored value unchanged. Leave the property out, or put the complete row with --mode replace to delete the property.`,
    );
}

/** Refuses a row that tables cannot store. @throws StorageError */
export async function checkStorable(table: string, entity: StoredEntity): Promise<void> {
  const { openStorage } = await import("@partita/core");
  await using scratch: TableStorage = await openStorage("memory:");
  await scratch.createTable(table);
  await scratch.write(table, { type: "insert", entity });
}
