import type { FileFormat } from "@partita/transfer";
import { UsageError } from "../session/usage-error.ts";

/** The option as it was given. */
export interface FormatOption {
  readonly format?: string;
}

/** The form of a file: what was said, or what its name ends with. @throws UsageError */
export function formatOf({ format }: FormatOption, file: string): FileFormat {
  const name = format ?? (file.toLowerCase().endsWith(".csv") ? "csv" : "jsonl");
  if (name === "csv" || name === "jsonl") return name;
  throw new UsageError("--format takes jsonl or csv.");
}
