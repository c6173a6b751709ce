import type { QueueStorage } from "@partita/queues";
import type { WireService } from "../http/admit-request.ts";
import type { QueueMetadata } from "./queue-metadata.ts";

/** The state of a queue server. */
export interface QueueService extends WireService {
  readonly queues: QueueStorage;
  /** The queues without the wrapper: lookups by the server itself are not client requests. */
  readonly unwrapped: QueueStorage;
  readonly metadata: QueueMetadata;
}
