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
  type PatternUse,
} from "@partita/patterns";
import fc from "fast-check";
import { parameterValues } from "./domain-values.ts";
import { type PlanSummary, PlanSummaries } from "./plan-summary.ts";
import { escapeInvisible, printValues } from "./print-value.ts";

/** The result of checking one pattern. */
export interface CheckedPattern {
  readonly name: string;
  /** The number of planned values. */
  readonly checked: number;
  /** The worst properties of the plans at the corner values. */
  readonly plan: PlanSummary;
  /** The declared use of the pattern. */
  readonly use: PatternUse | undefined;
  /** The first plan outside the bounds, with the value that shows it. */
  readonly failure: PatternError | undefined;
}

/** The number and seed of samples. */
export interface SampleOptions {
  readonly seed: number;
  readonly samples: number;
}

/** Maximum number of corner combinations per pattern; if there are more, some are drawn. */
const maxCorners = 20_000;

/** Maximum number of plans for shrinking a failure, since long texts have many shorter variants. */
const maxShrinks = 1_000;

/**
 * Plans a pattern with every combination of its parameters' corner values, and with samples; nothing is sent. If dates
 * are relative to now, both are spread over the possible moments.
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
  return { name, checked, plan: plans.worst(), use: pattern.bounds.use, failure };
}

/** A pattern at one moment. */
interface PatternAt {
  readonly pattern: Pattern;
  readonly setting: DomainSetting;
  readonly corners: readonly CaseValues[];
  /** Called with the plan of each corner. A lock file contains no random results. */
  readonly onPlan: (plan: Explanation) => void;
}

/** Finds values that violate a pattern, as simple as possible. */
function findFailure(
  { pattern, setting, corners, onPlan }: PatternAt,
  { seed, samples }: SampleOptions,
): CaseValues | undefined {
  let [left, tries] = [corners.length, 0];
  const holds = (values: CaseValues): boolean => {
    if (tries > maxShrinks) return true;
    const problem = problemOf(pattern, values, left-- > 0 ? onPlan : undefined);
    // After the first failure, each call is an attempt to shrink it.
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

/** The problem of the plan for these values. */
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
    `  To narrow it, ${compare}narrow the parameter's domain, or change the key; otherwise raise the bound.`,
  ];
}
