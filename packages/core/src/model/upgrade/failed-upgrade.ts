import { UpgradeError } from "../../values/errors/upgrade-error.ts";

/** Does what needs a row in its present form; `otherwise` says what becomes of one that cannot be upgraded. Other errors pass. */
export function unlessUpgradeFails<Result>(
  work: () => Result,
  otherwise: (error: UpgradeError) => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (!UpgradeError.is(error)) throw error;
    return otherwise(error);
  }
}
