import { loadCrypto } from "../../../values/keys/load-crypto.ts";
import { ByteWriter } from "../../../values/edm/byte-writer.ts";
import {
  type InsertOperation,
  keyOfOperation,
  type WriteOperation,
} from "../../../storage/write-operation.ts";
import { entityPath, keyPath, quotedKey } from "./resource-url.ts";
import type { WireFormat } from "./wire-format.ts";
import { conditionOf, methodOf, type Tunnel } from "./write-request.ts";

/** A multipart request for one entity group transaction. */
export interface TransactionBody {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Where transactions go, and how they are written. */
export interface TransactionTarget {
  /** The account's URL: the URLs inside are absolute. */
  readonly account: string;
  readonly format: WireFormat;
  readonly tunnel: Tunnel;
}

/** Tables whose constants are kept. */
const maxTables = 200;

/** Writes transactions for one account. */
export class TransactionPrinter {
  readonly #target: TransactionTarget;
  readonly #tables = new Map<string, PartPrinter>();

  constructor(target: TransactionTarget) {
    this.#target = target;
  }

  /** Writes operations as one changeset of a `$batch`. Source: learn.microsoft.com "Performing entity group transactions". */
  print(table: string, operations: readonly WriteOperation[]): TransactionBody {
    // Random, so that no value can hold it.
    const id = loadCrypto().randomUUID().replaceAll("-", "");
    const separator = Buffer.from(
      `--changeset_${id}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`,
    );
    const parts = this.#partsOf(table);
    const keyOf = keyPrinter();
    const body = ByteWriter.write((writer) => {
      writer.ascii(`--batch_${id}\r\nContent-Type: multipart/mixed; boundary=changeset_${id}\r\n\r\n`);
      let headOfInserts: Buffer | undefined;
      for (const operation of operations) {
        if (operation.type === "insert") {
          // Inserts differ in their entities only.
          headOfInserts ??= Buffer.concat([separator, parts.headOf(operation)]);
          writer.bytes(headOfInserts);
          this.#target.format.writeEntity(writer, operation, "");
          writer.bytes(lineEnd);
          continue;
        }
        writer.bytes(separator);
        parts.print(writer, operation, keyOf(operation));
      }
      writer.ascii(`--changeset_${id}--\r\n--batch_${id}--\r\n`);
    });
    return { contentType: `multipart/mixed; boundary=batch_${id}`, body };
  }

  #partsOf(table: string): PartPrinter {
    let parts = this.#tables.get(table);
    if (parts === undefined) {
      if (this.#tables.size === maxTables) this.#tables.clear();
      this.#tables.set(table, (parts = new PartPrinter(this.#target, table)));
    }
    return parts;
  }
}

/** Prints keys as URLs have them. The operations of a transaction are of one partition: its key is encoded once. */
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

/** What all parts for one type of operation on one table have in common. Keys and conditions stand in between. */
interface PartFrame {
  readonly beforeKey: Buffer;
  readonly beforeCondition: Buffer;
  readonly beforeBody: Buffer;
}

const lineEnd = Buffer.from("\r\n");

/** Writes operations on one table, each as the HTTP request that it would be alone. */
class PartPrinter {
  readonly #target: TransactionTarget;
  readonly #url: string;
  readonly #frames = new Map<WriteOperation["type"], PartFrame>();

  constructor(target: TransactionTarget, table: string) {
    this.#target = target;
    this.#url = target.account + entityPath(table);
  }

  /** What stands before the entity of an insert, which has neither key nor condition. */
  headOf(operation: InsertOperation): Buffer {
    const { beforeKey, beforeCondition, beforeBody } = this.#frameOf(operation);
    return Buffer.concat([beforeKey, beforeCondition, beforeBody]);
  }

  /** @param key - what follows the table in the URL */
  print(writer: ByteWriter, operation: Exclude<WriteOperation, InsertOperation>, key: string): void {
    const { beforeKey, beforeCondition, beforeBody } = this.#frameOf(operation);
    const etag = conditionOf(operation);
    writer.bytes(beforeKey);
    writer.ascii(key);
    writer.bytes(beforeCondition);
    if (etag !== undefined) writer.utf8(`If-Match: ${etag}\r\n`);
    writer.bytes(beforeBody);
    if (operation.type !== "delete") this.#target.format.writeEntity(writer, operation, this.#url + key);
    writer.bytes(lineEnd);
  }

  #frameOf(operation: WriteOperation): PartFrame {
    let frame = this.#frames.get(operation.type);
    if (frame === undefined)
      this.#frames.set(operation.type, (frame = frameOf(this.#target, this.#url, operation)));
    return frame;
  }
}

function frameOf(
  { format, tunnel: how }: TransactionTarget,
  url: string,
  operation: WriteOperation,
): PartFrame {
  const { method, tunnel } = methodOf(operation, how);
  const tunnelled = tunnel === undefined ? "" : `X-HTTP-Method: ${tunnel}\r\n`;
  const contentType = operation.type === "delete" ? "" : `Content-Type: ${format.contentType}\r\n`;
  const preference = operation.type === "insert" ? "Prefer: return-no-content\r\n" : "";
  return {
    beforeKey: Buffer.from(`${method} ${url}`),
    beforeCondition: Buffer.from(
      ` HTTP/1.1\r\nAccept: ${format.accept}\r\nDataServiceVersion: ${format.dataServiceVersion};\r\n${tunnelled}`,
    ),
    beforeBody: Buffer.from(`${contentType}${preference}\r\n`),
  };
}
