import { StorageError } from "../../../values/errors/storage-error.ts";
import type { WriteResult } from "../../../storage/write-operation.ts";
import { mayBeApplied, readFault } from "../http/service-error.ts";
import { type Part, PartScanner } from "./scan-parts.ts";

/**
 * Reads the answer to an entity group transaction: one part per operation, or one for the operation that was refused.
 * The outer 202 says nothing, so anything short of every part means that the outcome is not known.
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
  const scanner = new PartScanner(bytes);
  for (let part = scanner.next(); part !== undefined; part = scanner.next()) {
    if (part.status >= 400) throw refusal(bytes, part, requestId);
    isStored &&= part.status >= 200 && part.status < 300;
    results.push(part.etag === undefined ? {} : { etag: part.etag });
  }
  if (!isStored || results.length !== operations || !isClosed(bytes))
    throw new StorageError(
      "storage.malformed-response",
      `The answer to a transaction of ${operations} operations has ${results.length} whole parts, so it does not say what was stored.`,
      { applied: "maybe", ...(requestId !== undefined && { requestId }) },
    );
  return results;
}

function refusal(bytes: Buffer, part: Part, requestId: string | undefined): StorageError {
  const { code, message, index } = readFault(bytes.toString("utf8", part.body, part.end));
  return StorageError.ofResponse(
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

/** Enough of an answer's ends to see its outermost boundary: one has 70 characters at most. Source: RFC 2046. */
const endBytes = 256;

/** Whether the outermost boundary, which the answer begins with, is closed at its end. */
function isClosed(bytes: Buffer): boolean {
  const head = bytes.toString("utf8", 0, endBytes);
  const tail = bytes.toString("utf8", Math.max(0, bytes.length - endBytes));
  if (closes(head, tail)) return true;
  // Blanks around it, or a boundary that is longer than allowed.
  const text = bytes.toString();
  return closes(text, text);
}

function closes(head: string, tail: string): boolean {
  const boundary = /^\s*(--\S+)(?=\s)/.exec(head)?.[1];
  return boundary !== undefined && tail.trimEnd().endsWith(`${boundary}--`);
}
