// Glue between Partita's own packages: what jobs over complete tables know of rows, indexes and versions. Any version may
// change it.

export type { KindChooser } from "./model/codec/choose-kind.ts";
export { markerLifeMs } from "./model/codec/commit-rows.ts";
export { ageOf, currentRow } from "./model/codec/current-row.ts";
export { FormerKeys, isFormerRow, reservedRow, sameKind } from "./model/codec/former-keys.ts";
export { isOfKindInIndex } from "./model/codec/index-layout.ts";
export { ownerOf, ownerProperty } from "./model/codec/index-rows.ts";
export {
  claimProperty,
  isReservationRow,
  printHolders,
  reservationKey,
  reservationOf,
  reservationType,
} from "./model/codec/reservation-rows.ts";
export { etagOf, isOfKind, type LabelNames, labelOf, storedKind } from "./model/codec/row-layout.ts";
export { rowReaderFor } from "./model/codec/scan/row-reader.ts";
export { type FoundRow, keyOfFound, ScannedRow } from "./model/codec/scan/scanned-row.ts";
export { type StoredIndexRow, storedIndexRows } from "./model/codec/stored-index-rows.ts";
export { markerPrefix, outboxPrefix } from "./model/declaration/entity-model.ts";
export { type IndexOfClass, IndexStates } from "./model/schema/index-states.ts";
export { indexesOf } from "./model/schema/indexes-of.ts";
export { unlessUpgradeFails } from "./model/upgrade/failed-upgrade.ts";
export { followQuery, repeatedToken } from "./storage/follow-pages.ts";
export { inParallel, pointReads } from "./storage/in-parallel.ts";
export { exponential } from "./storage/retry-policy.ts";
export { retryRead } from "./storage/with-retry.ts";
export { canonicalValue } from "./values/edm/edm-types.ts";
export { endOfText } from "./values/edm/json-bytes.ts";
export { hasSameProperties } from "./values/edm/same-value.ts";
export { nearestName } from "./values/errors/nearest-name.ts";
export { isSameKey } from "./values/keys/is-same-key.ts";
export { newClaim } from "./work/claims/claim.ts";
export type { ClaimPort } from "./work/claims/claim-port.ts";
export { claimValue, fence } from "./work/claims/claim-value.ts";
export { holdsValue, type UniqueValue } from "./work/claims/holds-value.ts";
export { newMarkerKey } from "./work/recovery/marker.ts";
export { moveOf } from "./work/save/former-rows.ts";
export { type Moved, moveRow, type RowMove } from "./work/save/move-row.ts";
export { upgradeRows } from "./work/save/upgrade-rows.ts";
