// The second entry point: fast-check arbitraries for entities, filters, classes, keys and values.

export { type AnnotatedValue, storedEntity, storedName, storedValue } from "./arbitraries/entities.ts";
export { filterLiteral, filterNode } from "./arbitraries/filters.ts";
export { randomClass, type RandomClass } from "./arbitraries/models.ts";
export { hostileText, int64Value, legalKey, storableDate } from "./arbitraries/values.ts";
