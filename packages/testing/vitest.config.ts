import { defineConfig } from "vitest/config";
import { hangLimits } from "../../vitest.limits.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: { ...hangLimits, name: "testing", include: ["test/**/*.test.ts"] },
});
