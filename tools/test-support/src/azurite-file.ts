import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A row for Azurite: its keys, and properties with JSON types. */
export interface AzuriteRow {
  readonly PartitionKey: string;
  readonly RowKey: string;
  readonly [property: string]: unknown;
}

/** The relevant parts of Azurite's table file. */
interface AzuriteFile {
  readonly collections: AzuriteTable[];
}

interface AzuriteTable {
  readonly name: string;
  data: readonly AzuriteDocument[];
  maxId: number;
  readonly binaryIndices: Record<"PartitionKey" | "RowKey", { values: readonly number[] }>;
}

interface AzuriteDocument {
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * Adds these rows to a table in the file of a stopped Azurite, because over HTTP it scans the complete
 * partition for each inserted row. The table's single row is the pattern for Azurite's own members.
 */
export async function fillAzurite(
  folder: string,
  tableName: string,
  rows: readonly AzuriteRow[],
): Promise<void> {
  const path = join(folder, "__azurite_db_table__.json");
  const file = JSON.parse(await readFile(path, "utf8")) as AzuriteFile;
  const table = file.collections.find(({ name }) => name.endsWith(`$${tableName}`));
  const pattern = table?.data[0];
  if (table === undefined || pattern === undefined) throw new Error(`${tableName} has no row in ${path}.`);
  table.data = [];
  table.maxId = rows.length;
  for (const key of ["PartitionKey", "RowKey"] as const)
    table.binaryIndices[key].values = placesInOrder(rows.map((row) => row[key]));
  // The text of all rows and of their indexes is too long for one string.
  const [before, after] = splitAtRows(JSON.stringify(file), tableName);
  const out = createWriteStream(path);
  const write = async (text: string): Promise<void> => {
    if (!out.write(text)) await once(out, "drain");
  };
  await write(before);
  for (const [i, row] of rows.entries()) {
    const { PartitionKey, RowKey } = row;
    const properties = { ...pattern.properties, ...row };
    const document = { ...pattern, PartitionKey, RowKey, properties, meta: undefined, $loki: i + 1 };
    await write(`${i === 0 ? "" : ","}${JSON.stringify(document)}`);
  }
  out.end(after);
  await once(out, "close");
}

/** The text of the file up to the rows of an empty table, and from there on. */
function splitAtRows(text: string, tableName: string): [before: string, after: string] {
  const start = '"data":[';
  const at = text.indexOf(start, text.indexOf(`$${tableName}"`)) + start.length;
  return [text.slice(0, at), text.slice(at)];
}

/** The positions of texts, in the order of the texts. */
function placesInOrder(texts: readonly string[]): number[] {
  const before = (a: number, b: number): number => {
    const [one, other] = [texts[a] as string, texts[b] as string];
    return one < other ? -1 : one > other ? 1 : 0;
  };
  return Array.from(texts.keys()).sort(before);
}
