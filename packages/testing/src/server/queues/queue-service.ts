import type { QueueStorage } from "@partita/queues";
import type { Turns } from "../../turns.ts";
import type { WireService } from "../handlers/admit-request.ts";
import type { QueueRequestType } from "../../faults/faulty-queues.ts";
import type { QueueMetadata } from "./queue-metadata.ts";

/** What a queue server serves. */
export interface QueueService extends WireService {
  readonly queues: QueueStorage;
  readonly metadata: QueueMetadata;
  /** What creates, deletes or describes a queue goes by: one after the other, since each looks at what is there first. */
  readonly changes: Turns;
  /** Does the work of a request, unless a plan of faults says otherwise. */
  readonly run: <Result>(
    type: QueueRequestType,
    queue: string,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}
