import { StorageError } from "../../../values/errors/storage-error.ts";

/** A request that headers are added to. */
export interface HeadersRequest {
  /** `GET`, `POST`, `PUT`, `MERGE`, `PATCH` or `DELETE`. */
  readonly method: string;
  /** The path with the table and the keys, percent-encoded: `/Blogs(PartitionKey='a',RowKey='b')`. */
  readonly path: string;
}

/** Returns the headers to add to a request. */
export type AddHeaders = (request: HeadersRequest) => Readonly<Record<string, string>>;

/**
 * The headers of a program, with lower-case names.
 *
 * @param own - Partita's headers, which may not be replaced, except the id of the request
 * @throws StorageError `storage.header` before anything is sent
 */
export function addedHeaders(
  addHeaders: AddHeaders,
  request: HeadersRequest,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const added: Record<string, string> = {};
  for (const [given, value] of Object.entries(addHeaders(request))) {
    const name = given.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw refused(given, "is not the name of a header");
    if (reserved.test(name) || (name !== requestId && name in own))
      throw refused(given, "is set by Partita or by the connection");
    // No character outside of Latin-1, and no line break, which would begin another header.
    if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw refused(given, "has a value that is not text in one line");
    added[name] = value;
  }
  return added;
}

const requestId = "x-ms-client-request-id";

/** Headers of the protocol and of connections. The service signs or interprets all others that start with `x-ms-`. */
const reserved =
  /^(?:x-ms-(?!client-request-id$).*|authorization|connection|content-.*|date|expect|host|if-.*|keep-alive|prefer|te|trailer|transfer-encoding|upgrade|x-http-method.*)$/;

const refused = (name: string, problem: string): StorageError =>
  new StorageError(
    "storage.header",
    `The option "headers" returned ${JSON.stringify(name)}, which ${problem}. Nothing was sent.`,
    { applied: "no" },
  );
