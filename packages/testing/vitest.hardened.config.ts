import { defineConfig } from "vitest/config";
import { hangLimits } from "../../vitest.limits.ts";

// The hostile inputs again where prototypes cannot be reached by name and no code is made of text.
export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...hangLimits,
    name: "hostile (hardened)",
    include: ["test/hostile/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    execArgv: ["--disable-proto=throw", "--disallow-code-generation-from-strings"],
  },
});
