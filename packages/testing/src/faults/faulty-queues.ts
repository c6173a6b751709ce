import type { QueueStorage } from "@partita/queues";
import type { Fault } from "./fault.ts";
import { type LogOfFaults, plannedFaults } from "./planned-faults.ts";

/** What is done to queues in one request. */
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

/** One request that reached faulty queues. */
export interface FaultedQueueRequest {
  /** Counted from 1, over all requests. */
  readonly number: number;
  readonly type: QueueRequestType;
  /** Empty for `listQueues`. */
  readonly queue: string;
  /** What went wrong with it, once the plan has said so. */
  readonly fault?: Fault;
}

/** Says what goes wrong with a request to queues; undefined for nothing. It may do something first: the request waits for it. */
export type QueueFaultPlan = (request: FaultedQueueRequest) => Fault | undefined | Promise<Fault | undefined>;

/** What is known of requests to queues that fail as planned. */
export type QueueFaultLog = LogOfFaults<FaultedQueueRequest>;

/** Queues that fail as planned. */
export interface FaultyQueues extends QueueStorage, QueueFaultLog {}

const reads: ReadonlySet<QueueRequestType> = new Set(["listQueues", "peek", "approximateCount"]);

/** Whether nothing changes by such a request. A receive changes what others see. */
const isQueueRead = (type: QueueRequestType): boolean => reads.has(type);

/** The same queues, failing as planned. */
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
