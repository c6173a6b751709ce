import { defineConfig } from "vitest/config";
import { hangLimits } from "./vitest.limits.ts";

export default defineConfig({
  test: {
    // Vitest leaves one core free, which is half of a small machine.
    maxWorkers: "100%",
    projects: [
      "packages/*/vitest.config.ts",
      "packages/*/vitest.standard.config.ts",
      "packages/*/vitest.hardened.config.ts",
      { test: { ...hangLimits, name: "toolchains", include: ["tools/toolchains/test/**/*.test.ts"] } },
      { test: { ...hangLimits, name: "examples", include: ["examples/*/test/**/*.test.ts"] } },
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"] },
  },
});
