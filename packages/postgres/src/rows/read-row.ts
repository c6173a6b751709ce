import type { StoredEntityDraft } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { fromOrderedText } from "@partita/core/internal/sql";
import { escapedMark, unescapeTexts } from "./escaped-text.ts";
import { etagOf, timestampOf } from "./etag.ts";

/** The columns of a row as text. */
export type RowColumns = readonly [pk: string, rk: string, version: string, at: string, body: string];

/** Makes the entity that the service would return. */
export function readRow([pk, rk, version, at, body]: RowColumns): StoredEntity {
  const entity = JSON.parse(body) as StoredEntityDraft;
  if (body.includes(escapedMark)) unescapeTexts(entity);
  entity.PartitionKey = fromOrderedText(pk);
  entity.RowKey = fromOrderedText(rk);
  entity.Timestamp = timestampOf(at);
  entity["odata.etag"] = etagOf({ at, version });
  return entity;
}
