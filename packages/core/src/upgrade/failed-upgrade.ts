import { UpgradeError } from "../errors/upgrade-error.ts";

/** What happens to rows that cannot be upgraded. */
export type FailedUpgradePolicy = "stop" | "skip" | "raw";

/** Every failed-upgrade policy there is. */
export const failedUpgradePolicies: readonly FailedUpgradePolicy[] = ["stop", "skip", "raw"];

/**
 * Does what needs a row in its present form. Nothing else decides what a failed upgrade means: under `stop` it is an
 * error; else `otherwise` says what becomes of the row. Other errors pass.
 */
export function unlessUpgradeFails<Result>(
  policy: FailedUpgradePolicy,
  work: () => Result,
  otherwise: (policy: "skip" | "raw", error: UpgradeError) => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (!UpgradeError.is(error) || policy === "stop") throw error;
    return otherwise(policy, error);
  }
}

/** The policy where only entities count: a stored row cannot be changed, removed or have children as one. */
export const entitiesOnly = (policy: FailedUpgradePolicy): "stop" | "skip" =>
  policy === "stop" ? "stop" : "skip";
