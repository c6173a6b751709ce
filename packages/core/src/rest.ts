// The second front door: a service beside its entities, signatures, and the protocol's own forms for those who speak it.

export { openTableService, type TableService } from "./adapters/rest/table-service.ts";
export type {
  AccessPolicy,
  CorsRule,
  LoggingSettings,
  MetricsSettings,
  ServiceProperties,
  ServiceStatistics,
} from "./adapters/rest/wire/service-xml.ts";
export {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "./adapters/rest/wire/service-xml.ts";

export {
  accountSas,
  type AccountSasOptions,
  accountSasText,
  isAccountKey,
  type SasOptions,
  type SasParameters,
  type SharedKey,
  tableSas,
  type TableSasOptions,
  tableSasText,
} from "./adapters/rest/credentials/sas.ts";
export {
  sharedKeyText,
  type SharedKeyScheme,
  type SignedParts,
} from "./adapters/rest/credentials/sign-request.ts";
export { emulatorAccount } from "./adapters/rest/credentials/emulator-account.ts";

export { allOf, compare, textLiteral } from "./filter/filter-node.ts";
export { parseFilter } from "./filter/parse-filter.ts";
export { printFilter } from "./filter/print-filter.ts";
export { evaluateFilter, lookupIn, type ValueLookup } from "./filter/evaluate-filter.ts";

export { isSystemName } from "./edm/stored-entity.ts";
export { entityPath } from "./adapters/rest/wire/resource-url.ts";
export { setTyped, type TypedValue, typedValue } from "./adapters/rest/wire/typed-value.ts";
export { type AtomProperties, parseEntry } from "./adapters/rest/wire/atom/parse-atom.ts";
export {
  type AtomEntry,
  atomNamespaces,
  atomProperties,
  atomProperty,
  printEntry,
} from "./adapters/rest/wire/atom/print-atom.ts";
export {
  escapeXml,
  loadXmlReader,
  type XmlElement,
  type XmlReader,
  xmlDeclaration,
} from "./adapters/rest/wire/read-xml.ts";
