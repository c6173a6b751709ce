import { randomBytes } from "node:crypto";
import { keyOfOperation, type WriteOperation } from "../../../storage/write-operation.ts";
import { entityPath } from "./resource-url.ts";
import type { WireFormat } from "./wire-format.ts";
import { conditionOf, methodOf, type Tunnel } from "./write-request.ts";

/** A multipart request for one entity group transaction. */
export interface TransactionBody {
  readonly contentType: string;
  readonly body: string;
}

/** Where a transaction goes, and how it is written. */
export interface TransactionTarget {
  /** The account's URL: the URLs inside are absolute. */
  readonly account: string;
  readonly table: string;
  readonly format: WireFormat;
  readonly tunnel: Tunnel;
}

/** Writes operations as one changeset of a `$batch`. Source: learn.microsoft.com "Performing entity group transactions". */
export function printTransaction(
  target: TransactionTarget,
  operations: readonly WriteOperation[],
): TransactionBody {
  // Random, so that no value can hold it.
  const id = randomBytes(16).toString("hex");
  const parts = operations.map((operation) => printOperation(target, operation));
  const separator = `--changeset_${id}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  const body =
    `--batch_${id}\r\nContent-Type: multipart/mixed; boundary=changeset_${id}\r\n\r\n` +
    `${parts.map((part) => separator + part).join("")}--changeset_${id}--\r\n--batch_${id}--\r\n`;
  return { contentType: `multipart/mixed; boundary=batch_${id}`, body };
}

function printOperation(
  { account, table, format, tunnel: how }: TransactionTarget,
  operation: WriteOperation,
): string {
  const { method, tunnel } = methodOf(operation, how);
  const key = operation.type === "insert" ? undefined : keyOfOperation(operation);
  const etag = conditionOf(operation);
  const url = account + entityPath(table, key);
  const lines = [
    `${method} ${url} HTTP/1.1`,
    `Accept: ${format.accept}`,
    `DataServiceVersion: ${format.dataServiceVersion};`,
    ...(tunnel === undefined ? [] : [`X-HTTP-Method: ${tunnel}`]),
    ...(etag === undefined ? [] : [`If-Match: ${etag}`]),
  ];
  if (operation.type === "delete") return `${lines.join("\r\n")}\r\n\r\n\r\n`;
  lines.push(
    `Content-Type: ${format.contentType}`,
    ...(operation.type === "insert" ? ["Prefer: return-no-content"] : []),
  );
  const id = operation.type === "insert" ? "" : url;
  return `${lines.join("\r\n")}\r\n\r\n${format.printEntity(operation.entity, id)}\r\n`;
}
