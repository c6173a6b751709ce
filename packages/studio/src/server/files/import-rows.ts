import { importTable, type OmittedRows } from "@partita/transfer";
import type { Existing, TransferSummary, UntypedColumns } from "../../api/transfers.ts";
import type { JobProgress } from "../../api/jobs.ts";
import { importError, lineProblem } from "./line-problem.ts";
import type { Catalog } from "../tables/catalog.ts";

/** An import of a file. */
export interface ImportTask {
  readonly catalog: Catalog;
  readonly table: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly existing: Existing;
  /** The types of CSV columns without types. Without it, such a file is refused. */
  readonly types: UntypedColumns | undefined;
  /** Whether lines that are not rows are skipped. Otherwise the first one stops the import. */
  readonly skipsBadLines: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
}

const maxProblems = 20;

/** Writes the rows of a file to a table. */
export async function importRows(task: ImportTask): Promise<TransferSummary> {
  const { catalog, table, source, existing, types, skipsBadLines, signal, onProgress } = task;
  const problems: string[] = [];
  const report = await importTable(catalog.storage, table, source, {
    existing,
    types,
    signal,
    ...(skipsBadLines && {
      onBadLine(line) {
        if (problems.length < maxProblems) problems.push(lineProblem(line));
      },
    }),
    onProgress: ({ read, written, bytes }) =>
      onProgress({ phase: "import", read, total: undefined, upgraded: 0, written, bytes }),
  }).catch((error: unknown) => {
    throw importError(error);
  });
  return {
    ...summaryOf(report),
    refused: report.refused + report.bad,
    problems: [...problems, ...refusals(report)].slice(0, maxProblems),
  };
}

/** The counts that imports and copies share. */
export interface Transferred {
  readonly read: number;
  readonly written: number;
  readonly skipped: number;
  readonly omitted: OmittedRows;
  readonly refused: number;
  readonly refusedRows: readonly {
    readonly key: { readonly partitionKey: string; readonly rowKey: string };
    readonly reason: Error;
  }[];
}

/** A result for the page. */
export const summaryOf = (report: Transferred): TransferSummary => ({
  read: report.read,
  written: report.written,
  skipped: report.skipped,
  omitted: report.omitted.messages + report.omitted.markers + report.omitted.indexRows,
  refused: report.refused,
  problems: refusals(report).slice(0, maxProblems),
});

const refusals = ({ refusedRows }: Transferred): readonly string[] =>
  refusedRows.map(
    ({ key, reason }) => `${JSON.stringify([key.partitionKey, key.rowKey])}: ${reason.message}`,
  );
