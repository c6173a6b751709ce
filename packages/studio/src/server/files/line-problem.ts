import { TransferError } from "@partita/transfer";
import { RequestError } from "../request-error.ts";

/** The problem of a line in the page's words. Messages of the library name its options. */
export function lineProblem({ details }: TransferError): string {
  const { line, property, problem } = details as { line?: number; property?: string; problem?: string };
  return `Line ${line}: ${property === undefined ? "" : `${property} `}${problem}`;
}

/** An error of an import, with the choices that the page offers. */
export function importError(error: unknown): unknown {
  if (!TransferError.is(error)) return error;
  switch (error.code) {
    case "transfer.line":
      return RequestError.wrongInput(
        `${lineProblem(error)}. Correct the file, or choose to skip lines that are not rows.`,
      );
    case "transfer.types":
      return RequestError.wrongInput(
        `Columns of this CSV have no types after its first rows: ${Object.keys(error.details["columns"] as object).join(", ")}. Add a column Name@type after each of them.`,
      );
    case "transfer.table-not-empty":
      return RequestError.wrongInput(
        "The table already has rows, so nothing was written. Choose what happens to rows that it has.",
      );
    default:
      return error;
  }
}
