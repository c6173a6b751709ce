import type { TableStorage } from "@partita/core";
import type { TableServer } from "../server/table-server.ts";
import type { FaultPlan } from "./fault-plan.ts";
import { type FaultLog, faultyStorage, type FaultyStorage } from "./faulty-storage.ts";
import { plansOf } from "./plans-of-servers.ts";

/**
 * The same storage, whose requests fail as the plan says, before or after they were carried out. Faults look as a
 * network or the service makes them, so that what is concluded from them can be tested.
 */
export function withFaults(storage: TableStorage, plan: FaultPlan): FaultyStorage;
/** Lets the requests of a server fail over its sockets; the latest plan counts. */
export function withFaults(server: TableServer, plan: FaultPlan): FaultLog;
export function withFaults(target: TableStorage | TableServer, plan: FaultPlan): FaultyStorage | FaultLog {
  const install = plansOf(target);
  return install === undefined ? faultyStorage(target as TableStorage, plan) : install(plan);
}
