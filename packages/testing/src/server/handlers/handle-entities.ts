import {
  type ContinuationToken,
  type FilterNode,
  type StoredEntity,
  type StoredQuery,
  StorageError,
  type TableStorage,
} from "@partita/core";
import { allOf, parseFilter, queryBodies, type RowBody } from "@partita/core/protocol";
import { type Access, checkRange, rangeFilter } from "../authorization/access.ts";
import { parsePosition, type Position, printPosition } from "../wire/continuation.ts";
import { type EntityOperation, entityOperation } from "./entity-operation.ts";
import type { Pace } from "../http/pace.ts";
import { entityLink } from "../wire/parse-path.ts";
import { type Payload, payloadOf } from "../wire/payload.ts";
import { atomEntities, atomEntity } from "../wire/print-atom.ts";
import { printBody } from "../wire/print-body.ts";
import { type EntityPlace, jsonEntities, jsonEntity, jsonRow, type PrintedRow } from "../wire/print-json.ts";
import { noContent, type ProtocolAnswer, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** What entities are kept in, and how they are handed out. */
export interface EntityService {
  readonly storage: TableStorage;
  readonly account: string;
  /** Entities of a page at most. */
  readonly pageSize: number;
  /** Whether every page follows an empty one. */
  readonly emptyPages: boolean;
  /** What long work goes by. */
  readonly pace: Pace;
  /** Whether the storage hands out rows as bytes. */
  readonly hasBodies: boolean;
}

/** Query, point read and single writes of entities. */
export async function handleEntities(
  request: ProtocolRequest,
  access: Access,
  service: EntityService,
): Promise<ProtocolAnswer> {
  const { method, resource } = request;
  if (method !== "GET") return writeEntity(request, access, service);
  if (resource.type === "entities") return queryEntities(request, resource.table, access, service);
  if (resource.type !== "entity") throw new ServiceFault("UnsupportedHttpVerb");
  const payload = payloadOf(request);
  const entity = await service.storage.get(resource.table, resource.key);
  if (entity === undefined) throw new ServiceFault("ResourceNotFound");
  const etag = entity["odata.etag"];
  return {
    status: 200,
    headers: { ...typeHeaders(payload, "entry"), ...(etag !== undefined && { etag }) },
    body: printOne(entity, selectionOf(request), payload, placeOf(request, resource.table, service)),
  };
}

async function queryEntities(
  request: ProtocolRequest,
  table: string,
  access: Access,
  service: EntityService,
): Promise<ProtocolAnswer> {
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
  const answer = (rows: readonly PrintedRow[], next: Position | undefined): ProtocolAnswer => ({
    status: 200,
    headers: {
      ...typeHeaders(payload, "feed"),
      ...(next !== undefined && {
        "x-ms-continuation-nextpartitionkey": printPosition(next),
        "x-ms-continuation-nextrowkey": printPosition({ isSecond: false }),
      }),
    },
    body: payload === "atom" ? atomEntities(rows.map(String), place) : jsonEntities(rows, payload, place),
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
    body:
      service.hasBodies && (payload === "minimal" || payload === "none")
        ? (body) => printBody(body, payload)
        : undefined,
  };
  const page = await readInPieces(service, table, stored, print);
  // Asked for no rows it finds out whether the table is there, and hands out none.
  if (top === 0) return answer([], undefined);
  // The service may find nothing in its time and go on: clients must not take that for the end.
  if (emptyPages && !position.isSecond) return answer([], { ...position, isSecond: true });
  return answer(page.rows, page.next === undefined ? undefined : { token: page.next, isSecond: false });
}

/** Rows that are read and printed in one piece: some milliseconds of work. */
const rowsAPiece = 50;
/** Bytes of a page, about; the service ends its answers at 4 MiB. */
const maxPageBytes = 4 * 1024 * 1024;

/** How the rows of an answer are printed. */
interface RowPrinter {
  readonly entity: (entity: StoredEntity) => string;
  /** Prints a row from its bytes, or leaves it; undefined where rows are entities. */
  readonly body: ((body: RowBody) => Buffer | undefined) | undefined;
}

/** A page of rows, printed. Between its pieces, requests of others are answered. */
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
    // A storage that ends its page early has a reason, such as its time or the size of its rows.
    const isFull = rows.length >= top || found.rows.length < wanted || bytes >= maxPageBytes;
    if (isFull || after === undefined) return { rows, next: after };
  }
}

async function readPiece(
  storage: TableStorage,
  table: string,
  query: StoredQuery,
  { entity: printEntity, body: readBody }: RowPrinter,
): Promise<{ readonly rows: readonly PrintedRow[]; readonly next: ContinuationToken | undefined }> {
  if (readBody === undefined) {
    const { entities, next } = await storage.query(table, query);
    return { rows: entities.map(printEntity), next };
  }
  const { rows, next } = await queryBodies(storage, table, query, readBody);
  return { rows: rows.map((row) => (Buffer.isBuffer(row) ? row : printEntity(row as StoredEntity))), next };
}

const systemNames = new Set(["PartitionKey", "RowKey", "Timestamp"]);

async function writeEntity(
  request: ProtocolRequest,
  access: Access,
  service: EntityService,
): Promise<ProtocolAnswer> {
  const written = await entityOperation(request);
  checkWritten(access, written);
  // What cannot be answered is not done.
  const payload = payloadOf(request);
  const result = await service.storage.write(written.table, written.operation);
  return writeAnswer(request, written, result.etag, payload, service);
}

/** A key of the body is checked too: a signature's range holds for it. */
export function checkWritten(access: Access, { operation }: EntityOperation): void {
  if (operation.type !== "insert") return;
  const { PartitionKey, RowKey } = operation.entity;
  checkRange(access.range, { partitionKey: PartitionKey, rowKey: RowKey });
}

/** The answer to a write that was made. */
export async function writeAnswer(
  request: ProtocolRequest,
  { table, operation }: EntityOperation,
  etag: string | undefined,
  payload: Payload,
  service: EntityService,
): Promise<ProtocolAnswer> {
  const spoken = serviceVersionHeader(payload);
  if (operation.type !== "insert") return noContent({ ...spoken, ...(etag !== undefined && { etag }) });
  const { entity } = operation;
  const link = `${request.base}/${entityLink(table, entity)}`;
  const headers = { location: link, dataserviceid: link, ...(etag !== undefined && { etag }) };
  const preference = preferenceOf(request);
  if (preference === "return-no-content")
    return noContent({ ...spoken, ...headers, "preference-applied": preference });
  const stored = await storedEntity(service.storage, table, entity, etag);
  return {
    status: 201,
    headers: {
      ...headers,
      ...typeHeaders(payload, "entry"),
      ...(preference !== undefined && { "preference-applied": preference }),
    },
    body: printOne(stored, undefined, payload, placeOf(request, table, service)),
  };
}

/** The entity as it was stored; as it was sent, when somebody has changed it since. */
async function storedEntity(
  storage: TableStorage,
  table: string,
  entity: StoredEntity,
  etag: string | undefined,
): Promise<StoredEntity> {
  const key = { partitionKey: entity.PartitionKey, rowKey: entity.RowKey };
  const found = await storage.get(table, key).catch((error: unknown) => {
    if (error instanceof StorageError) return undefined;
    throw error;
  });
  if (found !== undefined && found["odata.etag"] === etag) return found;
  return { ...entity, ...(etag !== undefined && { "odata.etag": etag }) };
}

export function preferenceOf({
  header,
}: ProtocolRequest): "return-content" | "return-no-content" | undefined {
  const prefer = header("prefer")?.trim();
  return prefer === "return-no-content" || prefer === "return-content" ? prefer : undefined;
}

const printOne = (
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  payload: Payload,
  place: EntityPlace,
): string =>
  payload === "atom" ? atomEntity(entity, selected, place) : jsonEntity(entity, selected, payload, place);

const placeOf = (
  { base }: ProtocolRequest,
  table: string,
  { account }: Pick<EntityService, "account">,
): EntityPlace => ({ base, account, table });

/** JSON came with version 3.0 of data services. */
const serviceVersionHeader = (payload: Payload): Record<string, string> => ({
  dataserviceversion: payload === "atom" ? "1.0;" : "3.0;",
});

/** What an answer is written in. */
export function typeHeaders(payload: Payload, atomType: "entry" | "feed"): Record<string, string> {
  if (payload === "atom")
    return {
      "content-type": `application/atom+xml;type=${atomType};charset=utf-8`,
      ...serviceVersionHeader(payload),
    };
  const level = payload === "none" ? "nometadata" : `${payload}metadata`;
  return {
    "content-type": `application/json;odata=${level};streaming=true;charset=utf-8`,
    ...serviceVersionHeader(payload),
  };
}

/** Names to answer with, in their order; undefined for all. */
function selectionOf({ query, version }: ProtocolRequest): readonly string[] | undefined {
  const select = query.get("$select");
  if (select === undefined) return undefined;
  if (version < "2011-08-18") throw new ServiceFault("NotImplemented");
  const names = [...new Set(select.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  return names.length === 0 || names.includes("*") ? undefined : names;
}

/** Entities of a page: 0 to 1000. */
export function topOf(top: string | undefined): number | undefined {
  if (top === undefined) return undefined;
  const count = /^\d{1,9}$/.test(top.trim()) ? Number(top) : Number.NaN;
  if (!(count <= 1000)) throw new ServiceFault("InvalidInput");
  return count;
}

/** Options of the service; other `$` options it does not implement. */
const knownOptions = new Set(["$filter", "$select", "$top", "$format"]);

export function checkOptions(query: ReadonlyMap<string, string>): void {
  for (const name of query.keys())
    if (name.startsWith("$") && !knownOptions.has(name)) throw new ServiceFault("NotImplemented");
}

/** @throws ServiceFault `InvalidInput`; `NotImplemented` for functions, which the service has none of */
export function filterOf(text: string | undefined): FilterNode[] {
  if (text === undefined || text.trim() === "") return [];
  try {
    return [parseFilter(text)];
  } catch {
    // Constants may hold anything: only what is left without them is looked at.
    const bare = text.replaceAll(/'(?:[^']|'')*'/g, "''");
    throw new ServiceFault(
      /\b(?!and\b|or\b|not\b)[A-Za-z]\w*\(/.test(bare) ? "NotImplemented" : "InvalidInput",
    );
  }
}
