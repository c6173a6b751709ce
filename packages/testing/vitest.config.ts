import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: { ...shared, name: "testing", include: ["test/**/*.test.ts"] },
});
