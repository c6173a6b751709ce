// Requests to a service: retry policies, shared access signatures, service properties, access policies, statistics.

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
  accountSas,
  type AccountSasOptions,
  type SasOptions,
  type SharedKey,
  tableSas,
  type TableSasOptions,
} from "./adapters/rest/credentials/sas.ts";
export type { SharedKeyScheme } from "./adapters/rest/credentials/sign-request.ts";
export { emulatorAccount } from "./adapters/rest/credentials/emulator-account.ts";

export { type Clock, systemClock } from "./storage/clock.ts";
export { adaptive, exponential, fixed, noRetry, type RetryPolicy } from "./storage/retry-policy.ts";
