// The services' own forms, for those who write servers and clients of it. These names may change in any version.

export { allOf, compare, textLiteral } from "./values/filter/filter-node.ts";
export type {
  Comparison,
  ComparisonOperator,
  FilterConstant,
  FilterNode,
  Literal,
} from "./values/filter/filter-node.ts";
export { parseFilter } from "./values/filter/parse-filter.ts";
export { printFilter } from "./values/filter/print-filter.ts";
export { evaluateFilter, lookupIn, type ValueLookup } from "./values/filter/evaluate-filter.ts";

export { annotationOf, edmTypeOf, isSystemName } from "./values/edm/stored-entity.ts";
export { entityPath } from "./stores/azure/wire/resource-url.ts";
export { canonicalDateTime, parseDateTime } from "./values/edm/date-time-text.ts";
export { setTyped, type TypedValue, typedValue, untypedValue } from "./values/edm/typed-value.ts";
export { type AtomProperties, parseEntry } from "./stores/azure/wire/atom/parse-atom.ts";
export {
  type AtomEntry,
  atomNamespaces,
  atomProperties,
  atomProperty,
  printEntry,
} from "./stores/azure/wire/atom/print-atom.ts";
export { escapeXml, readXml, type XmlElement, xmlDeclaration } from "./stores/azure/wire/read-xml.ts";
export { isAccountKey } from "./stores/azure/credentials/credential.ts";
export { queueSharedKeyText, type SignedQueueParts } from "./stores/azure/credentials/sign-queue-request.ts";
export { sharedKeyText, type SignedParts } from "./stores/azure/credentials/sign-request.ts";
