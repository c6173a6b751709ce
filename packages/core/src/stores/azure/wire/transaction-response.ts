import { StorageError } from "../../../values/errors/storage-error.ts";
import type { WriteResult } from "../../../storage/write-operation.ts";
import { mayBeApplied, readFault } from "../http/service-error.ts";

/**
 * Reads the response to an entity group transaction: one part per operation, or one for the refused operation. The
 * outer status 202 proves nothing, so the outcome is unknown unless every part is complete.
 *
 * @throws StorageError of the refused operation with its index; `storage.malformed-response` with `applied: "maybe"`
 */
export async function readTransactionResponse(
  bytes: Buffer,
  operations: number,
  requestId: string | undefined,
): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  let isStored = true;
  const text = bytes.toString();
  for (const part of partsOf(text)) {
    if (part.status >= 400) throw refusal(part, requestId);
    isStored &&= part.status >= 200 && part.status < 300;
    results.push(part.etag === undefined ? {} : { etag: part.etag });
  }
  if (!isStored || results.length !== operations || !isClosed(text))
    throw new StorageError(
      "storage.malformed-response",
      `The response to a transaction of ${operations} operations has ${results.length} complete parts, so the outcome is unknown.`,
      { applied: "maybe", ...(requestId !== undefined && { requestId }) },
    );
  return results;
}

interface Part {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

/** The complete responses of a transaction's parts, each from its status line to the next boundary. */
function* partsOf(text: string): Generator<Part> {
  const statusLine = /^HTTP\/1\.1 (\d{3})(?: [^\r\n]*)?\r?\n/gm;
  for (let found = statusLine.exec(text); found !== null; found = statusLine.exec(text)) {
    // If a response has no headers, the line break before this position begins its blank line.
    const head = statusLine.lastIndex - 1;
    const end = text.indexOf("\n--", head + 1);
    if (end < 0) return;
    const response = text.slice(head, end);
    const blank = /\n\r?\n/.exec(response);
    const headers = blank === null ? response : response.slice(0, blank.index);
    yield {
      status: Number(found[1]),
      etag: etagHeader.exec(headers)?.[1]?.replace(/(?<=.)[ \t]+$/s, ""),
      body: blank === null ? "" : response.slice(blank.index + blank[0].length),
    };
    statusLine.lastIndex = end;
  }
}

/** Searching for these characters is faster than `^`. */
const etagHeader = /[\n\r\u2028\u2029]etag:[ \t]*([^\r\n][^\r\n\u2028\u2029]*)/i;

function refusal(part: Part, requestId: string | undefined): StorageError {
  const { code, message, index } = readFault(part.body);
  return StorageError.ofResponse(
    code ?? `Status${part.status}`,
    message ?? `The service responded with ${part.status}.`,
    {
      // A refused transaction was certainly not applied; after a server error, it may have been.
      applied: mayBeApplied(part.status) ? "maybe" : "no",
      status: part.status,
      ...(code !== undefined && { serviceCode: code }),
      ...(index !== undefined && { index }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** Whether the response ends with the closing form of its first boundary. */
function isClosed(text: string): boolean {
  const boundary = /^\s*(--\S+)/.exec(text)?.[1];
  return boundary !== undefined && text.trimEnd().endsWith(`${boundary}--`);
}
