import { type ExportOptions, exportTable } from "../src/index.ts";
import type { TableStorage } from "@partita/core";

/** What an export gives, as one text. */
export async function textOf(storage: TableStorage, table: string, options: ExportOptions): Promise<string> {
  let text = "";
  for await (const chunk of exportTable(storage, table, options)) text += chunk;
  return text;
}
