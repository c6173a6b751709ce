import { readRows, TransferError } from "@partita/transfer";
import type { StoredEntity } from "@partita/core/storage";
import type { CellValue } from "../../api/cells.ts";
import type { FileForm, ImportPreview, UntypedColumns } from "../../api/transfers.ts";
import type { StudioCore } from "../core.ts";
import { lineProblem } from "./line-problem.ts";
import { storedRow } from "../rows/stored-cells.ts";

const maxRows = 20;
const maxProblems = 10;

/**
 * Reads the start of a file as an import would.
 *
 * @param start - its first characters
 * @param isComplete - whether they are all of the file. Otherwise the last line may be cut, so it is ignored
 * @throws TransferError if the text has no rows in a form that an import reads
 */
export async function previewImport(
  core: StudioCore,
  start: string,
  isComplete: boolean,
): Promise<ImportPreview> {
  const problems: string[] = [];
  const rows: StoredEntity[] = [];
  const onBadLine = (line: TransferError): void => void problems.push(lineProblem(line));
  // The last line may be cut, unless the text is one line.
  const end = isComplete ? -1 : start.lastIndexOf("\n");
  const text = end < 0 ? start : start.slice(0, end + 1);
  const read = async (types?: UntypedColumns): Promise<void> => {
    [rows.length, problems.length] = [0, 0];
    try {
      for await (const row of readRows(text, { onBadLine, types })) rows.push(row);
    } catch (error) {
      // A cut text may end within a value.
      if (isComplete || rows.length === 0 || isAboutTypes(error)) throw error;
    }
  };
  const isUntyped = await read().then(
    () => false,
    (error: unknown) => {
      if (isAboutTypes(error)) return true;
      throw error;
    },
  );
  if (isUntyped) await read("infer");
  const format = formatOf(start);
  const shown = rows.slice(0, maxRows).map((row) => storedRow(core, row));
  const types = new Map<string, Set<string>>();
  for (const row of rows)
    for (const [name, type] of storedRow(core, row).cells)
      types.set(name, (types.get(name) ?? new Set()).add(type));
  const columns = [...types].map(([name, found]) => ({ name, types: [...found] }));
  return {
    format,
    columns,
    rows: shown.map(({ partitionKey, rowKey, cells }) => ({
      partitionKey,
      rowKey,
      values: columns.map(({ name }) => textOf(cells.find(([own]) => own === name)?.[2])),
    })),
    problems: problems.slice(0, maxProblems),
    isUntyped,
  };
}

const isAboutTypes = (error: unknown): boolean => TransferError.is(error) && error.code === "transfer.types";

const formatOf = (text: string): FileForm => (/^\s*[{[]/.test(text) ? "jsonl" : "csv");

const textOf = (value: CellValue | undefined): string | null => {
  if (value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
