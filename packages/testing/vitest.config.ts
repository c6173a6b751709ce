import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  test: { name: "testing", include: ["test/**/*.test.ts"] },
});
