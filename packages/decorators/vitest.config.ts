import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    ...shared,
    name: "decorators (legacy)",
    include: ["test/legacy/**/*.test.ts"],
    // Transformed modules are not cached: the cache does not notice changed decorator flags.
    fsModuleCache: false,
    typecheck: { enabled: true, include: ["test/types/**/*.test-d.ts"], tsconfig: "./test/tsconfig.json" },
  },
});
