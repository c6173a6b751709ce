import type { Scenario } from "./scenarios.ts";
import type { Rules, Told } from "./state.ts";
import type { Weakness } from "./weaker-rules.ts";

/** What happens while one step is made; not part of the state. */
export interface Notes {
  readonly scenario: Scenario;
  readonly weak: Weakness | undefined;
  readonly rules: Rules;
  isCalm: boolean;
  violations: string[];
  reported: {
    readonly intention: number;
    readonly outcome: Told;
    readonly evidence: string;
    readonly isFinal: boolean;
  }[];
}
