// Glue between Partita's own packages: the HTTP client of Azure Storage's services. Any version may change it.

export { authorizerFor } from "./stores/azure/credentials/authorizer.ts";
export { type Account, readAccount } from "./stores/azure/credentials/connection-string.ts";
export { queueRequestSigner } from "./stores/azure/credentials/sign-queue-request.ts";
export type { RawResponse } from "./stores/azure/http/exchange.ts";
export { RestClient, type RestRequest } from "./stores/azure/http/rest-client.ts";
export { isLoopback } from "./stores/azure/loopback.ts";
export { checkTable, openRestStorage } from "./stores/azure/rest-storage.ts";
export { blobService, queueService } from "./stores/azure/service.ts";
export { textOf } from "./stores/azure/wire/read-response.ts";
export { childOf, childrenOf, malformedXml, textOfChild } from "./stores/azure/wire/read-xml.ts";
