import type { ContinuationToken, FilterNode, StoredEntity, StoredQuery } from "@partita/core/storage";
import type { EntityKey, TableStorage } from "@partita/core";
import { allOf, parseFilter } from "@partita/core/protocol";
import { hasRowBytes, readRow, readRows, type RowReader } from "@partita/core/internal";
import { type Access, rangeFilter } from "./access.ts";
import { parsePosition, type Position, printPosition } from "../wire/continuation.ts";
import { payloadOf } from "../wire/payload.ts";
import { atomEntities, atomEntity } from "../wire/print-atom.ts";
import { printBody } from "../wire/print-body.ts";
import { jsonEntities, jsonRow, metadataOf, type PrintedRow } from "../wire/print-json.ts";
import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { placeOf, printOne, typeHeaders } from "./entity-response.ts";
import type { EntityService } from "./entity-service.ts";

/** Responds to a point read. */
export async function getEntity(
  request: ProtocolRequest,
  table: string,
  key: EntityKey,
  service: EntityService,
): Promise<ProtocolResponse> {
  const { storage } = service;
  const payload = payloadOf(request);
  const place = placeOf(request, table, service);
  const isAsStored = !request.query.has("$select") && (payload === "minimal" || payload === "none");
  const print: Pick<RowReader, "readBody"> | undefined = isAsStored
    ? { readBody: (stored) => printBody(stored, payload, metadataOf(payload, place, undefined)) }
    : undefined;
  const found = await readRow(storage, table, key, print);
  if (found === undefined) throw new ServiceFault("ResourceNotFound");
  const { row, etag } = found;
  return {
    status: 200,
    headers: { ...typeHeaders(payload, "entry"), ...(etag !== undefined && { etag }) },
    body: Buffer.isBuffer(row) ? row : printOne(row as StoredEntity, selectionOf(request), payload, place),
  };
}

/** Responds with one page of a query. */
export async function queryEntities(
  request: ProtocolRequest,
  table: string,
  access: Access,
  service: EntityService,
): Promise<ProtocolResponse> {
  const { account, pageSize, emptyPages } = service;
  const { query } = request;
  const payload = payloadOf(request);
  checkOptions(query);
  const filter = allOf([...filterOf(query.get("$filter")), ...rangeFilter(access.range)]);
  const top = topOf(query.get("$top"));
  const selected = selectionOf(request);
  const after = query.get("NextPartitionKey");
  const position: Position = after === undefined ? { isSecond: false } : parsePosition(after);
  const place = placeOf(request, table, { account });
  const response = (rows: readonly PrintedRow[], next: Position | undefined): ProtocolResponse => ({
    status: 200,
    headers: {
      ...typeHeaders(payload, "feed"),
      ...(next !== undefined && {
        "x-ms-continuation-nextpartitionkey": printPosition(next),
        "x-ms-continuation-nextrowkey": printPosition({ isSecond: false }),
      }),
    },
    body:
      payload === "atom"
        ? atomEntities(rows.map(String), place)
        : jsonEntities(rows, selected, payload, place),
  });
  const stored: StoredQuery = {
    ...(filter !== undefined && { filter }),
    top: Math.max(1, Math.min(top ?? pageSize, pageSize)),
    ...(selected !== undefined && { select: selected.filter((name) => !systemNames.has(name)) }),
    ...(position.token !== undefined && { after: position.token as ContinuationToken }),
  };
  const print: RowPrinter = {
    entity: (entity) =>
      payload === "atom"
        ? atomEntity(entity, selected, place, false)
        : jsonRow(entity, selected, payload, place),
    reader:
      hasRowBytes(service.storage) && (payload === "minimal" || payload === "none")
        ? { readBody: (body) => printBody(body, payload), readList: () => undefined }
        : undefined,
  };
  const page = await readInPieces(service, table, stored, print);
  // With `$top=0`, the query only checks that the table exists.
  if (top === 0) return response([], undefined);
  // The service may return an empty page with a continuation if its time is up; clients must not mistake it for the
  // end.
  if (emptyPages && !position.isSecond) return response([], { ...position, isSecond: true });
  return response(page.rows, page.next === undefined ? undefined : { token: page.next, isSecond: false });
}

/** Rows that are read and printed per piece: some milliseconds of work. */
const rowsAPiece = 50;
/** Approximate maximum size of a page, in bytes; the service ends responses at 4 MiB. */
const maxPageBytes = 4 * 1024 * 1024;

/** Prints the rows of a response. */
interface RowPrinter {
  readonly entity: (entity: StoredEntity) => string;
  /** Prints rows from their bytes; undefined to print entities. */
  readonly reader: RowReader | undefined;
}

/** Prints a page of rows in pieces, and handles other requests in between. */
async function readInPieces(
  { pace, storage }: EntityService,
  table: string,
  { top = 1000, ...query }: StoredQuery,
  print: RowPrinter,
): Promise<{ readonly rows: readonly PrintedRow[]; readonly next: ContinuationToken | undefined }> {
  const rows: PrintedRow[] = [];
  let bytes = 0;
  let after = query.after;
  for (;;) {
    await pace.next();
    const wanted = Math.min(rowsAPiece, top - rows.length);
    const piece = { ...query, top: wanted, ...(after !== undefined && { after }) };
    const found = await readPiece(storage, table, piece, print);
    for (const row of found.rows) {
      rows.push(row);
      bytes += Buffer.byteLength(row);
    }
    after = found.next;
    // If a storage ends a page early, it has a reason, such as its time or the size of its rows.
    const isFull = rows.length >= top || found.rows.length < wanted || bytes >= maxPageBytes;
    if (isFull || after === undefined) return { rows, next: after };
  }
}

async function readPiece(
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  { entity: printEntity, reader }: RowPrinter,
): Promise<{ readonly rows: readonly PrintedRow[]; readonly next: ContinuationToken | undefined }> {
  const { rows, next } = await readRows(storage, table, query, reader);
  return { rows: rows.map((row) => (Buffer.isBuffer(row) ? row : printEntity(row as StoredEntity))), next };
}

const systemNames = new Set(["PartitionKey", "RowKey", "Timestamp"]);

/** The selected names in order; undefined for all. */
function selectionOf({ query, version }: ProtocolRequest): readonly string[] | undefined {
  const select = query.get("$select");
  if (select === undefined) return undefined;
  if (version < "2011-08-18") throw new ServiceFault("NotImplemented");
  const names = [...new Set(select.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  return names.length === 0 || names.includes("*") ? undefined : names;
}

/** Entities per page: 0 to 1000. */
export function topOf(top: string | undefined): number | undefined {
  if (top === undefined) return undefined;
  const count = /^\d{1,9}$/.test(top.trim()) ? Number(top) : Number.NaN;
  if (!(count <= 1000)) throw new ServiceFault("InvalidInput");
  return count;
}

/** The options that the service supports; it refuses other `$` options. */
const knownOptions = new Set(["$filter", "$select", "$top", "$format"]);

export function checkOptions(query: ReadonlyMap<string, string>): void {
  for (const name of query.keys())
    if (name.startsWith("$") && !knownOptions.has(name)) throw new ServiceFault("NotImplemented");
}

/** @throws ServiceFault `InvalidInput`; `NotImplemented` for functions, which the service does not support */
export function filterOf(text: string | undefined): FilterNode[] {
  if (text === undefined || text.trim() === "") return [];
  try {
    return [parseFilter(text)];
  } catch {
    // Constants may contain any text, so check the rest only.
    const bare = text.replaceAll(/'(?:[^']|'')*'/g, "''");
    throw new ServiceFault(
      /\b(?!and\b|or\b|not\b)[A-Za-z]\w*\(/.test(bare) ? "NotImplemented" : "InvalidInput",
    );
  }
}
