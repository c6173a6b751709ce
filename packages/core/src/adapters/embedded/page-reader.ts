import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";
import { StorageError } from "../../errors/storage-error.ts";
import { evaluateFilter, lookupIn } from "../../filter/evaluate-filter.ts";
import { allOf, type FilterNode } from "../../filter/filter-node.ts";
import { conjunctsOf, isKeyBound, type KeyBounds, keyBoundsOf } from "../../filter/key-bounds.ts";
import { onlyText } from "../../keys/text-range.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import { maxPageSize } from "../../storage/limits.ts";
import type { ContinuationToken, Page, StoredQuery } from "../../storage/table-storage.ts";
import { fromOrderedText, toOrderedText } from "./key-order.ts";
import { checkRow } from "./row-checksum.ts";
import { etagOf, timestampOf } from "./stored-time.ts";
import { rowsOf, type Statements } from "./table-statements.ts";

/** Rows fetched from SQLite at a time: few at first, then as many as have about a mebibyte. */
const firstChunk = 16;
const maxChunk = 500;
const chunkBytes = 1024 * 1024;
/** Bytes of stored text in one page, so that a page of large entities stays within memory. */
const maxPageBytes = 4 * 1024 * 1024;
/** Work of one page before it is handed over, possibly empty, so that the event loop keeps turning. */
const pageBudgetMs = 8;

type Row = [pk: string, rk: string, ts: number, body: string, crc: number];

/** Reads a page that one statement answers, which needs no transaction; undefined when it takes more. */
export function readShortPage(statements: Statements, tableId: number, query: StoredQuery): Page | undefined {
  return checkTop(query.top) > firstChunk ? undefined : readChunks(statements, tableId, query, 1);
}

/**
 * Reads one page: seeks to the filter's key bounds, then filters in key order by the service's rules. To be called in
 * a transaction, so that all chunks see one state.
 */
export const readPage = (statements: Statements, tableId: number, query: StoredQuery): Page =>
  readChunks(statements, tableId, query, Number.POSITIVE_INFINITY) as Page;

/** Undefined when the page is not done after so many chunks. */
function readChunks(
  statements: Statements,
  tableId: number,
  query: StoredQuery,
  maxChunks: number,
): Page | undefined {
  const top = checkTop(query.top);
  if (query.filter !== undefined) checkFilter(query.filter);
  const bounds = keyBoundsOf(query.filter);
  if (bounds === undefined) return { entities: [] };
  const filter = restOf(query.filter, bounds);

  const entities: StoredEntity[] = [];
  const started = performance.now();
  let position = query.after === undefined ? undefined : parsePosition(query.after);
  let limit = Math.min(firstChunk, top);
  for (let chunk = 0, bytes = 0; chunk < maxChunks; chunk++) {
    const { sql, values } = seek(rowsOf(tableId), bounds, position, limit);
    const rows = statements.get(sql).all(...values) as unknown as Row[];
    let read = 0;
    for (const row of rows) {
      const entity = toEntity(row);
      position = [row[0], row[1]];
      read += row[3].length;
      if (filter !== undefined && !evaluateFilter(filter, lookupIn(entity))) continue;
      entities.push(query.select === undefined ? entity : project(entity, query.select));
      if (entities.length === top) return { entities, next: printPosition(position) };
    }
    if (rows.length < limit || position === undefined) return { entities };
    bytes += read;
    if (bytes > maxPageBytes || performance.now() - started > pageBudgetMs)
      return { entities, next: printPosition(position) };
    limit = Math.max(1, Math.min(maxChunk, Math.floor((chunkBytes * rows.length) / Math.max(read, 1))));
  }
  return undefined;
}

/** What is left of a filter once its rows were sought by key: the seek says whole PartitionKeys, and RowKeys in one. */
function restOf(filter: FilterNode | undefined, { partitionKey }: KeyBounds): FilterNode | undefined {
  const isOne = onlyText(partitionKey) !== undefined;
  return allOf(conjunctsOf(filter).filter((node) => !isKeyBound(node) || (node.name === "RowKey" && !isOne)));
}

function checkTop(top: number = maxPageSize): number {
  if (Number.isInteger(top) && top >= 1 && top <= maxPageSize) return top;
  throw StorageError.ofService("InvalidInput", `top takes 1 to ${maxPageSize}`);
}

/** A row as the entity the service would return. */
export function toEntity([pk, rk, ts, body, crc]: Row): StoredEntity {
  checkRow(pk, rk, ts, body, crc);
  const entity = JSON.parse(body) as StoredEntityDraft;
  if (typeof entity !== "object" || entity === null || Array.isArray(entity))
    throw new SyntaxError("A stored row is no JSON object.");
  entity.PartitionKey = fromOrderedText(pk);
  entity.RowKey = fromOrderedText(rk);
  entity.Timestamp = timestampOf(ts);
  entity["odata.etag"] = etagOf(ts);
  return entity;
}

interface Seek {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function seek(rows: string, bounds: KeyBounds, position: Position | undefined, limit: number): Seek {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...operands: string[]): void => {
    conditions.push(condition);
    values.push(...operands);
  };
  const partition = onlyText(bounds.partitionKey);
  if (partition === undefined) {
    addBounds(add, "pk", bounds.partitionKey);
    if (position !== undefined) add("(pk, rk) > (?, ?)", ...position);
  } else {
    add("pk = ?", toOrderedText(partition));
    addBounds(add, "rk", bounds.rowKey);
    if (position !== undefined) add("rk > ?", position[1]);
  }
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return {
    sql: `SELECT pk, rk, ts, body, crc FROM ${rows}${where} ORDER BY pk, rk LIMIT ?`,
    values: [...values, limit],
  };
}

function addBounds(
  add: (condition: string, operand: string) => void,
  column: "pk" | "rk",
  { lower, upper }: KeyBounds["rowKey"],
): void {
  if (lower !== undefined) add(`${column} ${lower.inclusive ? ">=" : ">"} ?`, toOrderedText(lower.text));
  if (upper !== undefined) add(`${column} ${upper.inclusive ? "<=" : "<"} ?`, toOrderedText(upper.text));
}

function project(entity: StoredEntity, select: readonly string[]): StoredEntity {
  const { PartitionKey, RowKey, Timestamp, "odata.etag": etag } = entity;
  const projected: StoredEntityDraft = {
    PartitionKey,
    RowKey,
    ...(Timestamp && { Timestamp }),
    ...(etag && { "odata.etag": etag }),
  };
  for (const name of select) {
    if (!Object.hasOwn(entity, name)) continue;
    setMember(projected, name, entity[name]);
    const annotation = annotationOf(name);
    if (entity[annotation] !== undefined) projected[annotation] = entity[annotation];
  }
  return projected;
}

/** The last key that was scanned, as its columns hold it. */
type Position = readonly [pk: string, rk: string];

/** The length of the first key tells where the second begins. */
const printPosition = ([pk, rk]: Position): ContinuationToken =>
  `${pk.length}:${pk}${rk}` as ContinuationToken;

function parsePosition(token: ContinuationToken): Position {
  const [, digits] = /^(\d{1,4}):/.exec(token) ?? [];
  const [start, length] = [(digits?.length ?? 0) + 1, Number(digits)];
  if (digits === undefined || token.length < start + length)
    throw StorageError.ofService("InvalidInput", "the continuation token is not one of this store");
  return [token.slice(start, start + length), token.slice(start + length)];
}
