/** What every project of the tests has in common. */
export const shared = {
  // These only end a test that hangs. They are far beyond what any test needs on a slow or busy machine: whether a test
  // passes does not depend on time.
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  // Vitest leaves one core free, which is half of a small machine.
  maxWorkers: "100%",
};
