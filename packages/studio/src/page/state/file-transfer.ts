import type { Job } from "../../api/jobs.ts";
import type {
  Existing,
  ExportRequest,
  FileForm,
  ImportPreview,
  UntypedColumns,
} from "../../api/transfers.ts";
import type { ApiClient } from "./api-client.ts";

/** The part of an export that has arrived. */
export interface ExportProgress {
  readonly rows: number;
  readonly bytes: number;
}

/** Characters of a file that a preview reads. */
const previewLength = 200_000;

/** Reads an export to its end. @throws Error if the connection ended before, because no file may be incomplete */
export async function exportFile(
  api: ApiClient,
  request: ExportRequest,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  const response = await api.sendJson("files/export", request, signal);
  const counter = rowCounter(request.format);
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress({ rows: counter(chunk), bytes });
      controller.enqueue(chunk);
    },
  });
  try {
    return await new Response(response.body?.pipeThrough(counting)).blob();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error("The export ended before its last row, so no file was saved. Export again.", {
      cause: error,
    });
  }
}

/** Saves a file in the folder for downloads. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Counts the rows of chunks so far. A line end between quotation marks is part of a value of CSV. */
function rowCounter(format: FileForm): (chunk: Uint8Array) => number {
  let [lines, isQuoted] = [format === "csv" ? -1 : 0, false];
  return (chunk) => {
    for (const byte of chunk)
      if (byte === quotationMark) isQuoted = format === "csv" && !isQuoted;
      else if (byte === lineFeed && !isQuoted) lines++;
    return Math.max(0, lines);
  };
}

const [quotationMark, lineFeed] = [0x22, 0x0a];

/** Reads the first rows of a file, and the types of its columns. */
export async function previewFile(api: ApiClient, file: File): Promise<ImportPreview> {
  const start = await file.slice(0, previewLength).text();
  return api.preview(start, file.size <= previewLength);
}

/** The choices of an import. */
export interface ImportChoices {
  readonly table: string;
  readonly existing: Existing;
  /** For CSV with columns without types. */
  readonly types: UntypedColumns | undefined;
  readonly skipsBadLines: boolean;
}

/** Sends a file, and waits until its rows are written. */
export const importFile = (
  api: ApiClient,
  file: File,
  choices: ImportChoices,
  signal: AbortSignal,
): Promise<Job> => {
  const { table, existing, types, skipsBadLines } = choices;
  const search = new URLSearchParams({
    table,
    existing,
    ...(types !== undefined && { types }),
    ...(skipsBadLines && { bad: "skip" }),
  });
  return api.sendFile(`files/import?${search.toString()}`, file, signal);
};
