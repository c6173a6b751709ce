import { messageOf } from "@partita/core/internal";
import type { Explanation } from "@partita/core";
import {
  type CaseValues,
  cornerCases,
  type DomainSetting,
  exceeded,
  momentsOf,
  type Pattern,
  PatternError,
} from "@partita/patterns";
import fc from "fast-check";
import { parameterValues } from "./domain-values.ts";
import { type PlanSummary, PlanSummaries } from "./plan-summary.ts";
import { escapeInvisible, printValues } from "./print-value.ts";

/** What a check found out about one pattern. */
export interface CheckedPattern {
  readonly name: string;
  /** Values that were planned. */
  readonly checked: number;
  /** What is the worst of the plans at the corners. */
  readonly plan: PlanSummary;
  /** The first plan that does not meet the bounds, with the value that shows it. */
  readonly failure: PatternError | undefined;
}

/** How many samples there are, and which. */
export interface SampleOptions {
  readonly seed: number;
  readonly samples: number;
}

/** Corner combinations of one pattern that are planned at most; beyond them some are drawn. */
const maxCorners = 20_000;

/** Plans that make a failure simpler at most: long texts have many that are shorter. */
const maxShrinks = 1_000;

/**
 * Plans a pattern with every combination of its parameters' corners, and with samples; nothing is sent. Where dates are
 * relative to now, both are spread over the moments that may be now.
 */
export function checkPattern(pattern: Pattern, { seed, samples }: SampleOptions): CheckedPattern {
  const { name, separators } = pattern;
  const moments = momentsOf(pattern.parameters);
  const plans = new PlanSummaries();
  let failure: PatternError | undefined;
  let checked = 0;
  for (const [i, now] of moments.entries()) {
    const setting = { now, separators };
    const corners = cornerCases(pattern.parameters, setting, Math.ceil(maxCorners / moments.length));
    const drawn = Math.ceil(samples / moments.length);
    const onPlan = (plan: Explanation): void => plans.note(plan);
    const found = findFailure({ pattern, setting, corners, onPlan }, { seed: seed + i, samples: drawn });
    if (found !== undefined) {
      failure = problemOf(pattern, found, onPlan);
      break;
    }
    checked += corners.length + drawn;
  }
  return { name, checked, plan: plans.worst(), failure };
}

/** One pattern at one moment. */
interface PatternAt {
  readonly pattern: Pattern;
  readonly setting: DomainSetting;
  readonly corners: readonly CaseValues[];
  /** Called with the plan of each corner: a lock file lists nothing that is drawn at random. */
  readonly onPlan: (plan: Explanation) => void;
}

/** Values that show that a pattern does not hold, as simple as they can be made. */
function findFailure(
  { pattern, setting, corners, onPlan }: PatternAt,
  { seed, samples }: SampleOptions,
): CaseValues | undefined {
  let [left, tries] = [corners.length, 0];
  const holds = (values: CaseValues): boolean => {
    if (tries > maxShrinks) return true;
    const problem = problemOf(pattern, values, left-- > 0 ? onPlan : undefined);
    // From the first failure on, each call is one to shrink it.
    if (problem !== undefined || tries > 0) tries++;
    return problem === undefined;
  };
  const found = fc.check(fc.property(parameterValues(pattern.parameters, setting), holds), {
    seed,
    numRuns: corners.length + samples,
    examples: corners.map((values) => [values]),
  });
  return found.counterexample?.[0];
}

/** What is wrong with the plan of these values. */
function problemOf(
  pattern: Pattern,
  values: CaseValues,
  onPlan?: (plan: Explanation) => void,
): PatternError | undefined {
  const { name, bounds } = pattern;
  let plan: Explanation;
  try {
    plan = pattern.explain(values);
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The access pattern "${name}" cannot be planned with ${printValues(values)}: ${reason}`;
    return new PatternError("pattern.not-planned", message, { pattern: name, values }, { cause });
  }
  onPlan?.(plan);
  const problem = exceeded(plan, bounds);
  if (problem === undefined) return undefined;
  const message = [
    `The access pattern "${name}" ${problem}, with ${printValues(values)}.`,
    `  Its plan: ${shortened(escapeInvisible(String(plan)))}`,
    ...remediesFor(plan),
  ].join("\n");
  const details = { pattern: name, values, type: plan.type, requests: plan.requests.length };
  return new PatternError("pattern.too-wide", message, details);
}

const maxPlan = 300;
const shortened = (text: string): string =>
  text.length > maxPlan ? `${text.slice(0, maxPlan).toWellFormed()}…` : text;

function remediesFor({ missing }: Explanation): string[] {
  const compare = missing.length > 0 ? `compare ${missing.join(", ")}, ` : "";
  return [
    `  To narrow it, ${compare}narrow the parameter's domain, or change the key; else raise the bound.`,
  ];
}
