import type { FaultPlan } from "./fault-plan.ts";
import type { QueueFaultLog, QueueFaultPlan } from "./faulty-queues.ts";
import type { FaultLog } from "./faulty-storage.ts";

/** How a server takes a plan of faults: that of its kind. */
export type PlanInstaller = (plan: FaultPlan & QueueFaultPlan) => FaultLog | QueueFaultLog;

/** Where a server has it, for every copy of this package. */
const installer = Symbol.for("partita.plans-of-faults@1");

/** Lets a server take plans of faults. */
export function takePlansFor(server: object, install: PlanInstaller): void {
  Object.defineProperty(server, installer, { value: install, configurable: true });
}

/** How a server takes a plan of faults; undefined for what is no server. */
export const plansOf = (target: object): PlanInstaller | undefined =>
  (target as { readonly [installer]?: PlanInstaller })[installer];
