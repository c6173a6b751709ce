import swc from "unplugin-swc";
import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.shared.ts";

export default defineConfig({
  ssr: { resolve: { conditions: ["@partita/source"] } },
  oxc: false,
  plugins: [
    swc.vite({
      jsc: {
        target: "es2023",
        parser: { syntax: "typescript", decorators: true },
        transform: { decoratorVersion: "2022-03" },
      },
    }),
  ],
  test: {
    ...shared,
    name: "decorators (standard)",
    include: ["test/standard/**/*.test.ts"],
    fsModuleCache: false,
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./test/standard/tsconfig.json",
    },
  },
});
