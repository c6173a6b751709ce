// The entry point: servers of tables, queues and page blobs, their options, and connection faults for storages of your
// own.

export { startPageBlobServer } from "./blobs/start-page-blob-server.ts";
export type { PageBlobContent, PageBlobServer } from "./blobs/page-blob-server.ts";
export type { PageBlobServerOptions } from "./blobs/page-blob-server-options.ts";
export type { DrainOptions } from "./http/drain-options.ts";
export type { RunningServer, ServiceName } from "./http/running-server.ts";
export type { ServerOptions } from "./http/server-options.ts";
export type { TlsCertificate } from "./http/tls-server.ts";
export { startQueueServer } from "./queues/start-queue-server.ts";
export type { QueueServer } from "./queues/queue-server.ts";
export type { QueueServerOptions } from "./queues/queue-server-options.ts";
export { startTableServer } from "./tables/start-table-server.ts";
export type { TableServer } from "./tables/table-server.ts";
export type { TableServerOptions } from "./tables/table-server-options.ts";
export type { ConnectionFault, FaultyConnection, ResponseBeginning } from "./wire/connection-fault.ts";
export type { ServerCode } from "./wire/server-codes.ts";
