import type { QueueStorage } from "@partita/queues";
import type { Semaphore } from "@partita/core/internal";
import type { WireService } from "../http/admit-request.ts";
import type { QueueMetadata } from "./queue-metadata.ts";

/** What a queue server serves. */
export interface QueueService extends WireService {
  readonly queues: QueueStorage;
  /** The same without what wraps them: what the server itself looks up is no request of a client. */
  readonly unwrapped: QueueStorage;
  readonly metadata: QueueMetadata;
  /** What creates, deletes or describes a queue goes by: one after the other, since each looks at what is there first. */
  readonly changes: Semaphore;
}
