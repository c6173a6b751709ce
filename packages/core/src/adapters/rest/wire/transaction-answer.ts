import { StorageError } from "../../../errors/storage-error.ts";
import type { WriteResult } from "../../../storage/write-operation.ts";
import { mayBeApplied, readFault } from "../http/service-error.ts";

/** One part of a multipart answer. */
interface Part {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

/**
 * Reads the answer to an entity group transaction: one part per operation, or one for the operation that was refused.
 * The outer 202 says nothing, so anything short of every part means that the outcome is not known.
 *
 * @throws StorageError of the refused operation with its index; `storage.malformed-answer` with `applied: "maybe"`
 */
export async function readTransactionAnswer(
  text: string,
  operations: number,
  requestId: string | undefined,
): Promise<WriteResult[]> {
  const parts = readParts(text);
  const refused = parts.find((part) => part.status >= 400);
  if (refused !== undefined) throw await refusal(refused, requestId);
  const isStored = parts.every((part) => part.status >= 200 && part.status < 300);
  if (!isStored || parts.length !== operations || !isClosed(text))
    throw new StorageError(
      "storage.malformed-answer",
      `The answer to a transaction of ${operations} operations has ${parts.length} whole parts, so it does not say what was stored.`,
      { applied: "maybe", ...(requestId !== undefined && { requestId }) },
    );
  return parts.map(({ etag }) => (etag === undefined ? {} : { etag }));
}

async function refusal(part: Part, requestId: string | undefined): Promise<StorageError> {
  const { code, message, index } = await readFault(part.body);
  return StorageError.ofAnswer(
    code ?? `Status${part.status}`,
    message ?? `The service answered ${part.status}.`,
    {
      // A refusal of a transaction is a proof that nothing of it was applied; a fault of the service is none.
      applied: mayBeApplied(part.status) ? "maybe" : "no",
      status: part.status,
      ...(code !== undefined && { serviceCode: code }),
      ...(index !== undefined && { index }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** One forward scan: each embedded HTTP response begins with a status line and ends before the next boundary. */
function readParts(text: string): Part[] {
  const parts: Part[] = [];
  const statusLine = /^HTTP\/1\.1 (\d{3})(?: [^\r\n]*)?\r?\n/gm;
  for (let found = statusLine.exec(text); found !== null; found = statusLine.exec(text)) {
    const from = found.index + found[0].length;
    const boundary = text.indexOf("\n--", from);
    if (boundary < 0) break;
    // With the line end before it, so that a response without headers begins with its blank line.
    const response = text.slice(from - 1, boundary);
    const blank = /\r?\n\r?\n/.exec(response);
    const head = blank === null ? response : response.slice(0, blank.index);
    const etag = /^etag:[ \t]*([^\r\n]+?)[ \t]*$/im.exec(head)?.[1];
    parts.push({
      status: Number(found[1]),
      etag,
      body: blank === null ? "" : response.slice(blank.index + blank[0].length),
    });
    statusLine.lastIndex = boundary;
  }
  return parts;
}

/** Whether the outermost boundary, which the text begins with, is closed at its end. */
function isClosed(text: string): boolean {
  const boundary = /^\s*(--\S+)/.exec(text)?.[1];
  return boundary !== undefined && text.trimEnd().endsWith(`${boundary}--`);
}
