// Glue between Partita's own packages: queries over rows in memory, without Node. The playground of the documentation
// site runs on it. Any version may change it.

export { rowsOfNew } from "./model/codec/rows-of-new.ts";
export { modelOfEntity } from "./model/declaration/model-registry.ts";
export { odata } from "./query/build/odata.ts";
export type { Explanation } from "./query/plan/explain.ts";
export type { Query } from "./query/query.ts";
export { queryOverRows } from "./query/query-over-rows.ts";
export { isQuery } from "./query/unread-query.ts";
export type { ReadableRows } from "./storage/store-engine.ts";
export type { StoredQuery } from "./storage/table-storage.ts";
export { checkTop, parsePosition, printPosition, project, restOf } from "./stores/sql/page-query.ts";
export type { EntityKey, StoredEntity } from "./values/edm/stored-entity.ts";
export { withoutLinks } from "./values/errors/error-page.ts";
export { evaluateFilter, lookupIn } from "./values/filter/evaluate-filter.ts";
export { keyBoundsOf } from "./values/filter/key-bounds.ts";
export { printFilter } from "./values/filter/print-filter.ts";
export { contains, onlyText } from "./values/keys/text-range.ts";
