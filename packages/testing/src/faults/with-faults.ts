import type { TableStorage } from "@partita/core";
import type { QueueStorage } from "@partita/queues";
import type { QueueServer } from "@partita/server";
import type { TableServer } from "@partita/server";
import type { FaultPlan } from "./fault-plan.ts";
import { faultyQueues, type FaultyQueues, type QueueFaultLog, type QueueFaultPlan } from "./faulty-queues.ts";
import { type FaultLog, faultyStorage, type FaultyStorage } from "./faulty-storage.ts";

/**
 * The same storage, whose requests fail as the plan says, before or after they were carried out. Faults look as a
 * network or the service makes them, so that what is concluded from them can be tested.
 */
export function withFaults(storage: TableStorage, plan: FaultPlan): FaultyStorage;
/** The same queues, whose requests fail as the plan says. */
export function withFaults(queues: QueueStorage, plan: QueueFaultPlan): FaultyQueues;
/** Lets the requests of a server fail over its sockets; the latest plan counts. */
export function withFaults(server: TableServer, plan: FaultPlan): FaultLog;
/** Lets the requests of a queue server fail over its sockets; the latest plan counts. */
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
