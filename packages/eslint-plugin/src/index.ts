// The front door: the plugin for ESLint and oxlint, whose rule finds operators between the conditions of a query.

import { noConditionOperators } from "./no-condition-operators.ts";
import type { LintRule } from "./syntax.ts";

export type { LintRule } from "./syntax.ts";

/** A plugin for ESLint (flat configuration) and oxlint (`jsPlugins`). */
export interface LintPlugin {
  /** What linters call it: rules are `@partita/…`. */
  readonly meta: { readonly name: "@partita/eslint-plugin"; readonly namespace: "@partita" };
  /** The rules by their names. */
  readonly rules: { readonly "no-condition-operators": LintRule };
  /** Configurations for ESLint: `export default [partita.configs.recommended]`. */
  readonly configs: { readonly recommended: LintConfig };
}

/** An entry of ESLint's flat configuration. */
export interface LintConfig {
  readonly name: string;
  readonly plugins: { readonly "@partita": LintPlugin };
  readonly rules: Record<"@partita/no-condition-operators", "error">;
}

/**
 * Rules for programs that use Partita. `@partita/no-condition-operators` finds `||`, `&&`, `!` and comparison operators
 * between and on the conditions of `where`, and rewrites the first three.
 */
const plugin: LintPlugin = {
  meta: { name: "@partita/eslint-plugin", namespace: "@partita" },
  rules: { "no-condition-operators": noConditionOperators },
  configs: {
    get recommended() {
      return {
        name: "@partita/recommended",
        plugins: { "@partita": plugin },
        rules: { "@partita/no-condition-operators": "error" as const },
      };
    },
  },
};

// Both linters take a plugin from the default export.
export default plugin;
