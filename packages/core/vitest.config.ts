import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    name: "core",
    testTimeout: 30_000,
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./test/tsconfig.json" },
  },
});
