// The plugin for ESLint and oxlint, with its rules and its recommended configuration.

import { keyTypes } from "./key-types.ts";
import { noConditionOperators } from "./no-condition-operators.ts";
import type { LintRule } from "./syntax.ts";
import { usedQueries } from "./used-queries.ts";

export type { LintRule } from "./syntax.ts";

/** A plugin for ESLint (flat configuration) and oxlint (`jsPlugins`). */
export interface LintPlugin {
  /** The linters' name for the plugin: rules are `@partita/…`. */
  readonly meta: { readonly name: "@partita/eslint-plugin"; readonly namespace: "@partita" };
  /** The rules, by name. */
  readonly rules: Readonly<Record<RuleName, LintRule>>;
  /** Configurations for ESLint: `export default [partita.configs.recommended]`. */
  readonly configs: { readonly recommended: LintConfig };
}

/** An entry of ESLint's flat configuration. */
export interface LintConfig {
  readonly name: string;
  readonly plugins: { readonly "@partita": LintPlugin };
  readonly rules: Record<`@partita/${RuleName}`, "error">;
}

type RuleName = "no-condition-operators" | "key-types" | "used-queries";

/**
 * Rules for programs that use Partita. `@partita/no-condition-operators` finds `||`, `&&`, `!` and comparison
 * operators on the conditions of `where`, and rewrites the first three. `@partita/key-types` requires
 * `Key<…>` as the type of decorated key parts. `@partita/used-queries` finds queries that are awaited without
 * being read, and conditions with a result that is dropped.
 */
const plugin: LintPlugin = {
  meta: { name: "@partita/eslint-plugin", namespace: "@partita" },
  rules: {
    "no-condition-operators": noConditionOperators,
    "key-types": keyTypes,
    "used-queries": usedQueries,
  },
  configs: {
    get recommended() {
      return {
        name: "@partita/recommended",
        plugins: { "@partita": plugin },
        rules: {
          "@partita/no-condition-operators": "error" as const,
          "@partita/key-types": "error" as const,
          "@partita/used-queries": "error" as const,
        },
      };
    },
  },
};

// Both linters load a plugin from its default export.
export default plugin;
