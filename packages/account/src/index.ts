// Shared access signatures, and the settings of a table service.

export {
  accountSas,
  type AccountSasOptions,
  type SasOptions,
  tableSas,
  type TableSasOptions,
} from "./sas.ts";
export type {
  AccessPolicy,
  CorsRule,
  LoggingSettings,
  MetricsSettings,
  ServiceProperties,
  ServiceStatistics,
} from "./service-xml.ts";
export { openTableService, type TableService } from "./table-service.ts";
