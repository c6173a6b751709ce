/**
 * Limits that only end a test which hangs. They are far beyond what any test needs on a slow or busy machine: whether a
 * test passes does not depend on time.
 */
export const hangLimits = { testTimeout: 1_800_000, hookTimeout: 1_800_000 };
