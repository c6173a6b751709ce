import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// The hostile inputs again where prototypes cannot be reached by name and no code is made of text.
export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...shared,
    name: "hostile (hardened)",
    include: ["test/hostile/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    execArgv: ["--disable-proto=throw", "--disallow-code-generation-from-strings"],
  },
});
