import type { TableStorage } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import type { QueueServer } from "@partita/server";
import type { TableServer } from "@partita/server";
import type { FaultPlan } from "./fault-plan.ts";
import { faultyQueues, type FaultyQueues, type QueueFaultLog, type QueueFaultPlan } from "./faulty-queues.ts";
import { type FaultLog, faultyStorage, type FaultyStorage } from "./faulty-storage.ts";

/**
 * The same storage, with requests that fail according to the plan, before or after they are applied. Faults look as if
 * the network or the service caused them, so you can test how your program handles them.
 *
 * @param plan - `writeFaults()`, `randomFaults()` or your own function
 */
export function withFaults(storage: TableStorage, plan: FaultPlan): FaultyStorage;
/** The same queues, with requests that fail according to the plan. */
export function withFaults(queues: QueueStorage, plan: QueueFaultPlan): FaultyQueues;
/** Makes requests to a server fail over its sockets. A later call replaces the plan. */
export function withFaults(server: TableServer, plan: FaultPlan): FaultLog;
/** Makes requests to a queue server fail over its sockets. A later call replaces the plan. */
export function withFaults(server: QueueServer, plan: QueueFaultPlan): QueueFaultLog;
export function withFaults(
  target: TableStorage | QueueStorage | TableServer | QueueServer,
  plan: FaultPlan | QueueFaultPlan,
): FaultyStorage | FaultyQueues | FaultLog | QueueFaultLog {
  if ("wrapStorage" in target)
    return target.wrapStorage((tables) => faultyStorage(tables, plan as FaultPlan));
  if ("wrapQueues" in target)
    return target.wrapQueues((queues) => faultyQueues(queues, plan as QueueFaultPlan));
  return "listQueues" in target
    ? faultyQueues(target, plan as QueueFaultPlan)
    : faultyStorage(target as TableStorage, plan as FaultPlan);
}
