// The plug-in for oxlint and ESLint: a rule that finds operators between conditions of a query.

import { noConditionOperators } from "./lint/no-condition-operators.ts";
import type { LintRule } from "./lint/syntax.ts";

export type { LintRule } from "./lint/syntax.ts";

/** A plug-in for ESLint (flat configuration) and oxlint (`jsPlugins`). */
export interface LintPlugin {
  readonly meta: { readonly name: "partita" };
  readonly rules: { readonly "no-condition-operators": LintRule };
  /** Configurations for ESLint: `export default [partita.configs.recommended]`. */
  readonly configs: { readonly recommended: LintConfig };
}

/** An entry of ESLint's flat configuration. */
export interface LintConfig {
  readonly name: string;
  readonly plugins: { readonly partita: LintPlugin };
  readonly rules: Record<"partita/no-condition-operators", "error">;
}

/**
 * Rules for programs that use Partita. `partita/no-condition-operators` finds `||`, `&&`, `!` and comparison operators
 * between and on the conditions of `where`, and rewrites the first three.
 */
const plugin: LintPlugin = {
  meta: { name: "partita" },
  rules: { "no-condition-operators": noConditionOperators },
  configs: {
    get recommended() {
      return {
        name: "partita/recommended",
        plugins: { partita: plugin },
        rules: { "partita/no-condition-operators": "error" as const },
      };
    },
  },
};

// Both linters take a plug-in from the default export.
export default plugin;
