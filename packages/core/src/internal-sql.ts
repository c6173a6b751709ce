// Glue between Partita's own packages: parts that stores over SQL databases share. Any version may change it.

export { checkFilter } from "./storage/check-filter.ts";
export {
  checkSize,
  notAnEntity,
  notAnOperation,
  prepareOne,
  userProperties,
  type UserProperties,
} from "./storage/check-write.ts";
export { isTableName, shownTable } from "./storage/limits.ts";
export {
  checkTop,
  parsePosition,
  type Position,
  printPosition,
  project,
  restOf,
} from "./stores/sql/page-query.ts";
export { prepareTransaction, type PreparedWrite } from "./stores/sql/prepare-transaction.ts";
export { canonicalDateTime, parseDateTime } from "./values/edm/date-time-text.ts";
export { parseDouble } from "./values/edm/double.ts";
export { annotationOf, isSystemName, setMember } from "./values/edm/stored-entity.ts";
export { cancelled } from "./values/errors/storage-error.ts";
export { evaluateFilter, lookupIn, satisfies } from "./values/filter/evaluate-filter.ts";
export {
  filterSql,
  type FilterSql,
  type SqlDialect,
  sqlSigns,
  type SqlValue,
} from "./values/filter/filter-sql.ts";
export { type KeyBounds, keyBoundsOf } from "./values/filter/key-bounds.ts";
export { checkStoredKey, fromOrderedText, toOrderedText } from "./values/keys/key-rules.ts";
export { onlyText, type TextRange } from "./values/keys/text-range.ts";
