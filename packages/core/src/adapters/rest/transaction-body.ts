import { randomBytes } from "node:crypto";
import { keyOfOperation, type WriteOperation } from "../../storage/write-operation.ts";
import { printEntity } from "./entity-json.ts";
import { entityPath } from "./resource-url.ts";
import { conditionOf, methodOf } from "./write-request.ts";

/** A multipart request for one entity group transaction. */
export interface TransactionBody {
  readonly contentType: string;
  readonly body: string;
}

/**
 * Writes operations as one changeset of a `$batch`. Source: learn.microsoft.com "Performing entity group transactions".
 *
 * @param origin - scheme and host: the URLs inside are absolute
 */
export function printTransaction(
  origin: string,
  base: string,
  table: string,
  operations: readonly WriteOperation[],
  canPatch: boolean,
): TransactionBody {
  // Random, so that no value can hold it.
  const id = randomBytes(16).toString("hex");
  const parts = operations.map((operation) => printOperation(origin, base, table, operation, canPatch));
  const separator = `--changeset_${id}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  const body =
    `--batch_${id}\r\nContent-Type: multipart/mixed; boundary=changeset_${id}\r\n\r\n` +
    `${parts.map((part) => separator + part).join("")}--changeset_${id}--\r\n--batch_${id}--\r\n`;
  return { contentType: `multipart/mixed; boundary=batch_${id}`, body };
}

function printOperation(
  origin: string,
  base: string,
  table: string,
  operation: WriteOperation,
  canPatch: boolean,
): string {
  const { method, tunnel } = methodOf(operation, canPatch);
  const key = operation.type === "insert" ? undefined : keyOfOperation(operation);
  const etag = conditionOf(operation);
  const lines = [
    `${method} ${origin}${entityPath(base, table, key)} HTTP/1.1`,
    "Accept: application/json;odata=minimalmetadata",
    "DataServiceVersion: 3.0;",
    ...(tunnel === undefined ? [] : [`X-HTTP-Method: ${tunnel}`]),
    ...(etag === undefined ? [] : [`If-Match: ${etag}`]),
  ];
  if (operation.type === "delete") return `${lines.join("\r\n")}\r\n\r\n\r\n`;
  lines.push(
    "Content-Type: application/json",
    ...(operation.type === "insert" ? ["Prefer: return-no-content"] : []),
  );
  return `${lines.join("\r\n")}\r\n\r\n${printEntity(operation.entity)}\r\n`;
}
