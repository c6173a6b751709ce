import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...shared,
    name: "core",
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./test/tsconfig.json" },
  },
});
