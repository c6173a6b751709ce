import { loadCrypto } from "../../../values/keys/load-crypto.ts";
import { ByteWriter } from "../../../values/edm/byte-writer.ts";
import { keyOfOperation, type WriteOperation } from "../../../storage/write-operation.ts";
import { entityPath, keyPath, quotedKey } from "./resource-url.ts";
import type { WireFormat } from "./wire-format.ts";
import { conditionOf, methodOf, type Tunnel } from "./write-request.ts";

/** A multipart request for one entity group transaction. */
export interface TransactionBody {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** The target and format of transactions. */
export interface TransactionTarget {
  /** The account's URL, since URLs in a transaction are absolute. */
  readonly account: string;
  readonly format: WireFormat;
  readonly tunnel: Tunnel;
}

/**
 * Prints operations as one changeset of a `$batch`. Source: learn.microsoft.com "Performing entity group transactions".
 */
export function printTransaction(
  target: TransactionTarget,
  table: string,
  operations: readonly WriteOperation[],
): TransactionBody {
  // Random, so it cannot occur in a value.
  const id = loadCrypto().randomUUID().replaceAll("-", "");
  const separator = `--changeset_${id}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  const url = target.account + entityPath(table);
  const keyOf = keyPrinter();
  const body = ByteWriter.write((writer) => {
    writer.ascii(`--batch_${id}\r\nContent-Type: multipart/mixed; boundary=changeset_${id}\r\n\r\n`);
    let headOfInserts: Buffer | undefined;
    for (const operation of operations) {
      const isInsert = operation.type === "insert";
      const ownUrl = isInsert ? url : url + keyOf(operation);
      // The heads of all inserts are the same.
      if (isInsert) writer.bytes((headOfInserts ??= Buffer.from(separator + headOf(target, url, operation))));
      else writer.utf8(separator + headOf(target, ownUrl, operation));
      if (operation.type !== "delete") target.format.writeEntity(writer, operation, isInsert ? "" : ownUrl);
      writer.ascii("\r\n");
    }
    writer.ascii(`--changeset_${id}--\r\n--batch_${id}--\r\n`);
  });
  return { contentType: `multipart/mixed; boundary=batch_${id}`, body };
}

/** Prints keys for URLs. All operations of a transaction share a PartitionKey, so it is encoded once. */
function keyPrinter(): (operation: WriteOperation) => string {
  let last: string | undefined;
  let encoded: string | undefined;
  return (operation) => {
    const { partitionKey, rowKey } = keyOfOperation(operation);
    if (encoded === undefined || partitionKey !== last) encoded = quotedKey(partitionKey);
    last = partitionKey;
    return keyPath(encoded, quotedKey(rowKey));
  };
}

/** The request line and headers of an operation, the same as for a separate request. */
function headOf({ format, tunnel: how }: TransactionTarget, url: string, operation: WriteOperation): string {
  const { method, tunnel } = methodOf(operation, how);
  const etag = conditionOf(operation);
  return (
    `${method} ${url} HTTP/1.1\r\nAccept: ${format.accept}\r\nDataServiceVersion: ${format.dataServiceVersion};\r\n` +
    (tunnel === undefined ? "" : `X-HTTP-Method: ${tunnel}\r\n`) +
    (etag === undefined ? "" : `If-Match: ${etag}\r\n`) +
    (operation.type === "delete" ? "" : `Content-Type: ${format.contentType}\r\n`) +
    (operation.type === "insert" ? "Prefer: return-no-content\r\n" : "") +
    "\r\n"
  );
}
