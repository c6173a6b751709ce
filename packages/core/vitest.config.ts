import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...shared,
    name: "core",
    // Its tests leave nothing behind for each other; to load every module once a worker saves a sixth of the time.
    isolate: false,
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./test/tsconfig.json" },
  },
});
