import type { QueueStorage } from "@partita/queues";
import type { Fault } from "./fault.ts";
import { type LogOfFaults, plannedFaults } from "./planned-faults.ts";

/** The kind of a request to queues. */
export type QueueRequestType =
  | "createQueue"
  | "deleteQueue"
  | "listQueues"
  | "put"
  | "receive"
  | "update"
  | "remove"
  | "peek"
  | "clear"
  | "approximateCount";

/** One request to queues with faults. */
export interface FaultedQueueRequest {
  /** The number of the request, starting from 1. */
  readonly number: number;
  readonly type: QueueRequestType;
  /** Empty for `listQueues`. */
  readonly queue: string;
  /** The planned fault, once the plan has decided. */
  readonly fault?: Fault;
}

/**
 * Returns the fault of a request to queues, or undefined for none. The request waits for the plan, which may first do
 * something else.
 */
export type QueueFaultPlan = (request: FaultedQueueRequest) => Fault | undefined | Promise<Fault | undefined>;

/** The requests to queues with planned faults. */
export type QueueFaultLog = LogOfFaults<FaultedQueueRequest>;

/** Queues with planned faults. */
export interface FaultyQueues extends QueueStorage, QueueFaultLog {}

const reads: ReadonlySet<QueueRequestType> = new Set(["listQueues", "peek", "approximateCount"]);

/** Whether a request changes nothing. A receive hides messages from others, so it is not a read. */
const isQueueRead = (type: QueueRequestType): boolean => reads.has(type);

/** The same queues with planned faults. */
export function faultyQueues(queues: QueueStorage, plan: QueueFaultPlan): FaultyQueues {
  const { log, run } = plannedFaults(plan);
  const on = <Result>(type: QueueRequestType, queue: string, work: () => Promise<Result>): Promise<Result> =>
    run({ type, queue }, !isQueueRead(type), work);
  const faulty: QueueStorage = {
    description: `${queues.description} with faults`,
    maxTextBytes: queues.maxTextBytes,
    createQueue: (queue, options) => on("createQueue", queue, () => queues.createQueue(queue, options)),
    deleteQueue: (queue, options) => on("deleteQueue", queue, () => queues.deleteQueue(queue, options)),
    listQueues: (options) => on("listQueues", "", () => queues.listQueues(options)),
    put: (queue, text, options) => on("put", queue, () => queues.put(queue, text, options)),
    receive: (queue, options) => on("receive", queue, () => queues.receive(queue, options)),
    update: (queue, message, options) => on("update", queue, () => queues.update(queue, message, options)),
    remove: (queue, message, options) => on("remove", queue, () => queues.remove(queue, message, options)),
    peek: (queue, options) => on("peek", queue, () => queues.peek(queue, options)),
    clear: (queue, options) => on("clear", queue, () => queues.clear(queue, options)),
    approximateCount: (queue, options) =>
      on("approximateCount", queue, () => queues.approximateCount(queue, options)),
    close: () => queues.close(),
    [Symbol.asyncDispose]: () => queues.close(),
  };
  return Object.assign(log, faulty);
}
