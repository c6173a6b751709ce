import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

// The failures of requests once more over node:http, by which REST is spoken where undici cannot be used.
export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: {
    ...shared,
    name: "core (node:http)",
    include: ["test/adapters/rest/failures.test.ts"],
    setupFiles: ["test/adapters/rest/without-undici.ts"],
  },
});
