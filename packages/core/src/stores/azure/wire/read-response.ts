import { StorageError } from "../../../values/errors/storage-error.ts";
import type { ContinuationToken } from "../../../storage/table-storage.ts";
import type { RawResponse } from "../http/exchange.ts";

/** Reads the text of an answer. @throws StorageError `storage.malformed-response` */
export function readResponse<Result>(response: RawResponse, parse: (text: string) => Result): Result {
  return readable(() => parse(response.text()));
}

/** What is read of an answer. @throws StorageError `storage.malformed-response` */
export function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (StorageError.is(error)) throw error;
    // The parser's own message quotes the answer, which may hold data.
    throw malformed("it is no JSON");
  }
}

/** The error for an answer that is not what a table service sends. */
export const malformed = (problem: string): StorageError =>
  new StorageError(
    "storage.malformed-response",
    `The answer cannot be read: ${problem}. Check that the endpoint is a table service.`,
    {
      applied: "no",
    },
  );

/** Where a query goes on: the service's own values, and which of its places gave them. */
export interface Position {
  readonly NextPartitionKey: string;
  readonly NextRowKey?: string;
  readonly isSecondary: boolean;
}

/** A position as one opaque text. Only absence ends a query: an empty key is a key. */
export function printToken({ headers }: RawResponse, isSecondary: boolean): ContinuationToken | undefined {
  const values = [
    headers[`${continuation}nextpartitionkey`] ?? null,
    headers[`${continuation}nextrowkey`] ?? null,
  ];
  if (values[0] === null) return undefined;
  if (values.some(Array.isArray)) throw malformed("it has a continuation header twice");
  const position = isSecondary ? [...values, "secondary"] : values;
  return Buffer.from(JSON.stringify(position)).toString("base64url") as ContinuationToken;
}

const continuation = "x-ms-continuation-";

/** The position of a token. @throws StorageError for a token of another store */
export function parseToken(token: ContinuationToken | undefined): Position | undefined {
  if (token === undefined) return undefined;
  try {
    const [partitionKey, rowKey, place] = JSON.parse(Buffer.from(token, "base64url").toString()) as unknown[];
    if (typeof partitionKey === "string")
      return {
        NextPartitionKey: partitionKey,
        ...(typeof rowKey === "string" && { NextRowKey: rowKey }),
        isSecondary: place === "secondary",
      };
  } catch {
    // Falls through to the refusal below.
  }
  throw StorageError.ofService("InvalidInput", "the continuation token is not one of this store");
}

/** The text of a header that is there once. */
export const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined;
