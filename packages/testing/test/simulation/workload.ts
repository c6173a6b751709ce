import type { NamedCheck, Scenario } from "../../src/index.ts";

/** How the tables of a workload prove what was stored. */
export interface Proof {
  readonly proof: "content" | "marker";
}

/** Work that programs do on tables, and everything that must hold of it, each by itself. */
export interface Workload {
  readonly name: string;
  readonly scenario: Omit<Scenario, "check">;
  readonly checks: readonly NamedCheck[];
}
