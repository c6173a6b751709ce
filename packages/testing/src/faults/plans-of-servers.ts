import type { FaultPlan } from "./fault-plan.ts";
import type { QueueFaultLog, QueueFaultPlan } from "./faulty-queues.ts";
import type { FaultLog } from "./faulty-storage.ts";

/** How a server takes a plan of faults: that of its kind. */
export type PlanInstaller = (plan: FaultPlan & QueueFaultPlan) => FaultLog | QueueFaultLog;

const installers = new WeakMap<object, PlanInstaller>();

/** Lets a server take plans of faults. */
export function takePlansFor(server: object, install: PlanInstaller): void {
  installers.set(server, install);
}

/** How a server takes a plan of faults; undefined for what is no server. */
export const plansOf = (target: object): PlanInstaller | undefined => installers.get(target);
