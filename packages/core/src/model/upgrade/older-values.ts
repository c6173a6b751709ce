import type { JoinStep, RetypeStep } from "./step.ts";

/** What the way back of a step that gives one value returns for it, by name; undefined if it throws. */
export function olderValues(
  step: RetypeStep | JoinStep,
  value: unknown,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const made = (step.back as (value: unknown) => unknown)(value);
    return step.op === "retype" ? { [step.from]: made } : (made as Readonly<Record<string, unknown>>);
  } catch {
    return undefined;
  }
}
