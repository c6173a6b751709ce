import { type UnreadableRowPolicy, unreadableRowPolicies } from "../../model/codec/unreadable-row.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { type UndeclaredPolicy, undeclaredPolicies } from "../../model/declaration/undeclared-policy.ts";
import {
  type DeclaredPatterns,
  isPatterns,
  type UnknownPatternPolicy,
  unknownPatternPolicies,
} from "./unknown-patterns.ts";
import {
  accepted,
  aFunction,
  oneOf,
  optionsOf,
  trueOrFalse,
  wholeNumber,
} from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions, refusedOption } from "../../values/options/define-options.ts";
import { aRetryPolicy, type RetryPolicy } from "../../storage/retry-policy.ts";
import { aClock, type Clock } from "../../storage/clock.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { type MergeOption, mergeOptions } from "../../model/declaration/merge-option.ts";
import type { ContextHooks } from "../unit-of-work/hooks.ts";
import type { EntityValidator } from "../save/validator.ts";

/** Settings of a context. */
export interface ContextOptions {
  /** How query rows meet tracked entities, where the query does not say; default `appendOnly`. */
  readonly mergeOption?: MergeOption | undefined;
  /** Whether edits are found by comparison (default), or only what `update()` names is saved. */
  readonly tracking?: "automatic" | "explicit" | undefined;
  /**
   * Checks every entity that a save would write; a violation stops the whole save before any request. One validator, or
   * several that are asked one after another: `classValidator()`, `standardSchema(Blog, schema)`, or your own function.
   */
  readonly validate?: EntityValidator | readonly EntityValidator[] | undefined;
  /**
   * When rows of older versions are stored as what they are upgraded to: `memory` (default) with the next change of
   * their entity, `write` at once when a tracked query or `find` reads them, under their ETag.
   */
  readonly upgrade?: "memory" | "write" | undefined;
  /**
   * What happens to rows that cannot be read as entities, where a query does not say it: reading stops with an error that
   * names the row (`error`, the default), leaves them out (`skip`), or yields an `UnreadableRow` in place of the entity
   * (`raw`). `find` returns undefined for a row that is skipped.
   */
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
  /**
   * What a save does about values that an added or changed entity has and its class does not declare, which would not be
   * stored: `error` (default, `entity.undeclared`) or `ignore`. What a class says takes precedence.
   */
  readonly undeclared?: UndeclaredPolicy | undefined;
  /** How requests are tried again; default `adaptive()`. */
  readonly retry?: RetryPolicy | undefined;
  /**
   * Whether queries and `find` may be answered by the account's secondary, some minutes old, where a first try of the
   * primary failed; default false. What decides over a write, such as `reload`, always asks the primary.
   */
  readonly staleReads?: boolean | undefined;
  /** The time, for waiting between tries and for what may yet arrive late; the system's when absent. */
  readonly clock?: Clock | undefined;
  /** Called for requests, entities and changes on the way. */
  readonly hooks?: ContextHooks | undefined;
  /** Requests after which a process warning `PARTITA_REQUEST_BUDGET` names the call sites that sent most. */
  readonly requestBudget?: number | undefined;
  /** The access patterns that queries are expected to be, made by `definePatterns`. */
  readonly patterns?: DeclaredPatterns | undefined;
  /**
   * What happens to a query that none of `patterns` declares: a process warning `PARTITA_UNKNOWN_PATTERN` once for each
   * shape (`warn`, the default), a PatternError `pattern.unknown` before anything is sent (`error`, for tests), or
   * nothing. Queries are compared by classes and operators, whatever their values are.
   */
  readonly unknownPattern?: UnknownPatternPolicy | undefined;
}

const checkHooks: CheckOptions = defineOptions<ContextHooks>("hooks", {
  sending: aFunction,
  received: aFunction,
  materialized: aFunction,
  saving: aFunction,
  saved: aFunction,
});

const checkOptions: CheckOptions = defineOptions<ContextOptions>("new TableContext(storage, options)", {
  mergeOption: oneOf(...mergeOptions),
  tracking: oneOf("automatic", "explicit"),
  validate: accepted(
    "a function, or a list of functions; for a schema of zod, valibot or arktype, standardSchema(Class, schema)",
    (value) => [value].flat().every((one) => typeof one === "function"),
  ),
  upgrade: oneOf("memory", "write"),
  unreadableRows: oneOf(...unreadableRowPolicies),
  undeclared: oneOf(...undeclaredPolicies),
  retry: aRetryPolicy,
  staleReads: trueOrFalse,
  clock: aClock,
  hooks: optionsOf(checkHooks),
  requestBudget: wholeNumber(1),
  patterns: accepted("what definePatterns() returns", isPatterns),
  unknownPattern: oneOf(...unknownPatternPolicies),
});

/** What a context has that names no options: nothing to check. */
export const noContextOptions: ContextOptions = {};

/** @throws StateError `context.storage`; OptionError `context.option` */
export function checkContext(storage: TableStorage, options: ContextOptions): void {
  if (typeof (storage as Partial<TableStorage> | undefined)?.query !== "function")
    throw new StateError(
      "context.storage",
      'new TableContext(storage) takes an open storage: await openStorage("file:path.db").',
    );
  if (options === noContextOptions) return;
  checkOptions(options);
  if (options.unknownPattern !== undefined && options.patterns === undefined)
    throw refusedOption(
      "context.option",
      "new TableContext(storage, options)",
      "unknownPattern",
      'effect beside patterns only: { patterns, unknownPattern: "error" }',
    );
}
