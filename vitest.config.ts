import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      "packages/*/vitest.config.ts",
      "packages/*/vitest.standard.config.ts",
      "packages/*/vitest.hardened.config.ts",
      { test: { name: "toolchains", include: ["tools/toolchains/test/**/*.test.ts"], testTimeout: 60_000 } },
      { test: { name: "examples", include: ["examples/*/test/**/*.test.ts"], testTimeout: 60_000 } },
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"] },
  },
});
