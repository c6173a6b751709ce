// Requests to a service: credentials, retry policies, connections.

export type { SharedKeyScheme } from "./stores/azure/credentials/sign-request.ts";
export { emulatorAccount } from "./stores/azure/credentials/emulator-account.ts";

export { type Clock, systemClock } from "./storage/clock.ts";
export { adaptive, exponential, fixed, noRetry, type RetryPolicy } from "./storage/retry-policy.ts";

export type {
  AccessToken,
  AccountKeys,
  Credential,
  SasCredential,
  SharedKey,
  TokenCredential,
} from "./stores/azure/credentials/credential.ts";
export type { AddHeaders, HeadersRequest } from "./stores/azure/http/added-headers.ts";
export type { ConnectionOptions, RequestDispatcher } from "./stores/azure/http/connection-options.ts";
export type { TimeLimits } from "./stores/azure/http/transport.ts";
export type { MetadataLevel } from "./stores/azure/wire/wire-format.ts";
