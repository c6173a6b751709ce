import { defineConfig } from "vitest/config";
import { hangLimits } from "../../vitest.limits.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...hangLimits,
    name: "core",
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./test/tsconfig.json" },
  },
});
