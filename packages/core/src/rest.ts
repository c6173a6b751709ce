// Requests to a service: retry policies, shared access signatures, service properties, access policies, statistics.

export { openTableService, type TableService } from "./stores/azure/table-service.ts";
export type {
  AccessPolicy,
  CorsRule,
  LoggingSettings,
  MetricsSettings,
  ServiceProperties,
  ServiceStatistics,
} from "./stores/azure/wire/service-xml.ts";
export {
  accountSas,
  type AccountSasOptions,
  type SasOptions,
  type SharedKey,
  tableSas,
  type TableSasOptions,
} from "./stores/azure/credentials/sas.ts";
export type { SharedKeyScheme } from "./stores/azure/credentials/sign-request.ts";
export { emulatorAccount } from "./stores/azure/credentials/emulator-account.ts";

export { type Clock, systemClock } from "./storage/clock.ts";
export { adaptive, exponential, fixed, noRetry, type RetryPolicy } from "./storage/retry-policy.ts";

export type {
  AccessToken,
  AccountKeys,
  Credential,
  SasCredential,
  TokenCredential,
} from "./stores/azure/credentials/credential.ts";
export type { ConnectionOptions, RequestDispatcher } from "./stores/azure/http/connection-options.ts";
export type { TimeLimits } from "./stores/azure/http/transport.ts";
export type { MetadataLevel } from "./stores/azure/wire/wire-format.ts";
