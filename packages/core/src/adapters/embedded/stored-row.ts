import {
  annotationOf,
  setMember,
  type StoredEntity,
  type StoredEntityDraft,
} from "../../edm/stored-entity.ts";
import { fromOrderedText } from "./key-order.ts";
import { checkRow } from "./row-checksum.ts";
import { etagOf, timestampOf } from "./stored-time.ts";

/** The columns of a row, in the order statements select them. */
export type Row = readonly [pk: string, rk: string, ts: number, body: string, crc: number];

/** What statements select for a {@link Row}. */
export const rowColumns = "pk, rk, ts, body, crc";

/** A row as the entity the service would return. @throws DamagedRow or SyntaxError when it is not what was written */
export function toEntity(row: Row): StoredEntity {
  checkRow(...row);
  return parseRow(row);
}

/** The same for a row whose checksum was compared before. */
export function parseRow([pk, rk, ts, body]: readonly [...Row, ...rest: unknown[]]): StoredEntity {
  const entity = JSON.parse(body) as StoredEntityDraft;
  if (typeof entity !== "object" || entity === null || Array.isArray(entity))
    throw new SyntaxError("A stored row is no JSON object.");
  entity.PartitionKey = fromOrderedText(pk);
  entity.RowKey = fromOrderedText(rk);
  entity.Timestamp = timestampOf(ts);
  entity["odata.etag"] = etagOf(ts);
  return entity;
}

/** The keys, system values and selected properties of an entity. */
export function project(entity: StoredEntity, select: readonly string[]): StoredEntity {
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
