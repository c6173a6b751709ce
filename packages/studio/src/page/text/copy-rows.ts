import type { Row } from "../../api/cells.ts";
import { cellLine } from "./cell-text.ts";

/** Rows as a JSON list of objects, by property name. */
export function rowsAsJson(rows: readonly Row[]): string {
  const plain = rows.map(({ partitionKey, rowKey, cells }) =>
    Object.fromEntries([
      ["PartitionKey", partitionKey],
      ["RowKey", rowKey],
      ...cells.map(([name, , value]) => [name, value]),
    ]),
  );
  return JSON.stringify(plain, null, 2);
}

/** Rows as CSV of RFC 4180, with a header line. */
export function rowsAsCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ cells }) => cells.map(([name]) => name)))];
  const lines = rows.map(({ partitionKey, rowKey, cells }) => {
    const values = new Map(cells.map(([name, , value]) => [name, cellLine(value)]));
    return [partitionKey, rowKey, ...names.map((name) => values.get(name) ?? "")];
  });
  return [["PartitionKey", "RowKey", ...names], ...lines]
    .map((line) => line.map(quoted).join(","))
    .join("\r\n");
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
