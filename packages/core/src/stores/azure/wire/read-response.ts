import { StorageError } from "../../../values/errors/storage-error.ts";
import type { ContinuationToken } from "../../../storage/table-storage.ts";
import type { RawResponse } from "../http/exchange.ts";

/** Parses the text of a response. @throws StorageError `storage.malformed-response` */
export function readResponse<Result>(response: RawResponse, parse: (text: string) => Result): Result {
  return readable(() => parse(response.text()));
}

/** Returns the result of `read`. @throws StorageError `storage.malformed-response` */
export function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (StorageError.is(error)) throw error;
    // The parser's message quotes the response, which may contain data.
    throw malformed("it is not JSON");
  }
}

/** The error for a response that a table service would not send. */
export const malformed = (problem: string): StorageError =>
  new StorageError(
    "storage.malformed-response",
    `The response cannot be read: ${problem}. Check that the endpoint is a table service.`,
    {
      applied: "no",
    },
  );

/** The start of the next page: the service's own values, and the endpoint that returned them. */
export interface Position {
  readonly NextPartitionKey: string;
  readonly NextRowKey?: string;
  readonly isSecondary: boolean;
}

/** Prints a position as an opaque token. Only an absent header ends a query, since an empty key is valid. */
export function printToken({ headers }: RawResponse, isSecondary: boolean): ContinuationToken | undefined {
  const values = [
    headers[`${continuation}nextpartitionkey`] ?? null,
    headers[`${continuation}nextrowkey`] ?? null,
  ];
  if (values[0] === null) return undefined;
  if (values.some(Array.isArray)) throw malformed("it repeats a continuation header");
  const position = isSecondary ? [...values, "secondary"] : values;
  return Buffer.from(JSON.stringify(position)).toString("base64url") as ContinuationToken;
}

const continuation = "x-ms-continuation-";

/** Reads the position from a token. @throws StorageError for another storage's token */
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
  throw StorageError.ofService("InvalidInput", "the continuation token does not belong to this store");
}

/** The text of a header that occurs once. */
export const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined;
