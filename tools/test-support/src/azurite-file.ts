import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A row that Azurite is to have: its keys, and properties whose types JSON has. */
export interface AzuriteRow {
  readonly PartitionKey: string;
  readonly RowKey: string;
  readonly [property: string]: unknown;
}

/** What is of interest in the file that Azurite keeps its tables in. */
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
 * Gives a table these rows, in the file of an Azurite that has stopped: over HTTP it walks through the whole partition
 * for each row that it inserts. The table's one row is the pattern of what Azurite stores beside keys and properties.
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
  // One string could not hold the text of all rows and of their indexes.
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

/** The text of the file up to the rows of a table that has none yet, and from there on. */
function splitAtRows(text: string, tableName: string): [before: string, after: string] {
  const start = '"data":[';
  const at = text.indexOf(start, text.indexOf(`$${tableName}"`)) + start.length;
  return [text.slice(0, at), text.slice(at)];
}

/** The places of texts, in the order of the texts. */
function placesInOrder(texts: readonly string[]): number[] {
  const before = (a: number, b: number): number => {
    const [one, other] = [texts[a] as string, texts[b] as string];
    return one < other ? -1 : one > other ? 1 : 0;
  };
  return Array.from(texts.keys()).sort(before);
}
