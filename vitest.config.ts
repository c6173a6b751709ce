import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.ts";

export default defineConfig({
  test: {
    projects: [
      "packages/*/vitest.config.ts",
      "packages/*/vitest.node-http.config.ts",
      "packages/*/vitest.standard.config.ts",
      "packages/*/vitest.hardened.config.ts",
      { test: { ...shared, name: "toolchains", include: ["tools/toolchains/test/**/*.test.ts"] } },
      { test: { ...shared, name: "examples", include: ["examples/*/test/**/*.test.ts"] } },
    ],
    coverage: { provider: "v8", include: ["packages/*/src/**"] },
  },
});
