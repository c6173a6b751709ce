import { type UnreadableRowPolicy, unreadableRowPolicies } from "../../model/codec/unreadable-row.ts";
import { StateError } from "../../values/errors/state-error.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
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
import {
  type Check,
  type CheckOptions,
  defineOptions,
  refusedOption,
} from "../../values/options/define-options.ts";
import { aRetryPolicy, type RetryPolicy } from "../../storage/retry-policy.ts";
import { aClock, type Clock } from "../../storage/clock.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { type MergeOption, mergeOptions } from "../../model/declaration/merge-option.ts";
import type { ScopeOption } from "../scope/context-scope.ts";
import type { ContextHooks } from "../unit-of-work/hooks.ts";
import type { EntityValidator } from "../save/validator.ts";

/** Options of a context. */
export interface ContextOptions {
  /**
   * How query rows are merged with tracked entities, unless the query sets it; default `appendOnly`.
   *
   * ```ts
   * const context = new TableContext(storage, { mergeOption: "preserveChanges" });
   * ```
   */
  readonly mergeOption?: MergeOption | undefined;
  /**
   * `automatic` (default) finds edits by comparison; `explicit` saves only the properties that you name with
   * `update()`.
   *
   * ```ts
   * const context = new TableContext(storage, { tracking: "explicit" });
   * const blog = await context.query(Blog).where({ channel, postedOn }).single();
   * blog.rating = 5;
   * context.update(blog, "rating");
   * await context.saveChanges();
   * ```
   */
  readonly tracking?: "automatic" | "explicit" | undefined;
  /**
   * Checks every entity that a save would write; a violation stops the complete save before any request. Pass one
   * validator, or several that run one after another: `classValidator()`, `standardSchema(Blog, schema)`, or your own
   * function.
   *
   * ```ts
   * const context = new TableContext(storage, {
   *   validate: (entity) =>
   *     entity instanceof Blog && entity.text === "" ? [{ property: "text", message: "is empty" }] : [],
   * });
   * ```
   */
  readonly validate?: EntityValidator | readonly EntityValidator[] | undefined;
  /**
   * When upgraded rows of older versions are stored: `memory` (default) with the next change of their entity, or
   * `write` as soon as a tracked query or `find` reads them, under their ETag.
   *
   * ```ts
   * const context = new TableContext(storage, { upgrade: "write" });
   * ```
   */
  readonly upgrade?: "memory" | "write" | undefined;
  /**
   * How reads handle rows that cannot be read as entities, unless the query sets it: `error` (the default) stops with
   * an error that names the row, `skip` leaves such rows out, and `raw` yields an `UnreadableRow` instead of the
   * entity. `find` returns undefined for a row that is skipped.
   *
   * ```ts
   * const context = new TableContext(storage, { unreadableRows: "skip" });
   * ```
   */
  readonly unreadableRows?: UnreadableRowPolicy | undefined;
  /**
   * How a save handles values that an entity's class does not declare, and that would not be stored: `error` (default,
   * `entity.undeclared`) or `ignore`. The setting of a class takes precedence. Unchanged entities are checked while the
   * context tracks at most 100.
   *
   * ```ts
   * const context = new TableContext(storage, { undeclared: "ignore" });
   * ```
   */
  readonly undeclared?: UndeclaredPolicy | undefined;
  /**
   * How requests are retried; default `adaptive()`.
   *
   * ```ts
   * import { exponential } from "@partita/core/rest";
   *
   * const context = new TableContext(storage, { retry: exponential({ attempts: 3 }) });
   * ```
   */
  readonly retry?: RetryPolicy | undefined;
  /**
   * Whether queries and `find` may read from the account's secondary endpoint, some minutes old, if their first attempt
   * on the primary failed; default false. Reads that decide about a write, such as `reload`, always use the primary.
   *
   * ```ts
   * const context = new TableContext(storage, { staleReads: true });
   * ```
   */
  readonly staleReads?: boolean | undefined;
  /**
   * Classes whose tables the context creates when the first request finds that they don't exist. The request is then
   * sent again. Name all classes of a table, as for `createTables`.
   *
   * ```ts
   * const context = new TableContext(storage, { createTables: [Blog] });
   * ```
   */
  readonly createTables?: readonly EntityClass[] | undefined;
  /**
   * The clock for waits between attempts and for delayed writes; the system clock when absent.
   *
   * ```ts
   * import { systemClock } from "@partita/core/rest";
   *
   * const context = new TableContext(storage, { clock: systemClock });
   * ```
   */
  readonly clock?: Clock | undefined;
  /**
   * Limits the context to the rows of one scope, such as `{ tenant: "acme" }`. Classes with `scopedBy: "tenant"` are
   * read and written with this value, which you can leave out of keys and new entities; a row with another value counts
   * as not stored. `"all"` gives access to the rows of every scope, for administrators. Without this option, classes
   * with `scopedBy` are refused.
   *
   * ```ts
   * class Note extends defineEntity({
   *   table: "Notes",
   *   partitionKey: { tenant: text() },
   *   rowKey: { id: text() },
   *   properties: { title: text() },
   *   scopedBy: "tenant",
   * }) {}
   * const context = new TableContext(storage, { scope: { tenant: "acme" } });
   * console.log(context.create(Note, { id: "1", title: "Hello" }).tenant); // → acme
   * ```
   */
  readonly scope?: ScopeOption | undefined;
  /**
   * Functions that are called for requests, entities and changes.
   *
   * ```ts
   * const context = new TableContext(storage, {
   *   hooks: { saved: ({ operation, outcome }) => console.log(operation, outcome) },
   * });
   * context.create(Account, { bank: "b", id: "2", balance: 0 });
   * await context.saveChanges(); // → insert committed
   * ```
   */
  readonly hooks?: ContextHooks | undefined;
  /**
   * The number of requests, 1 or more, after which a process warning `PARTITA_REQUEST_BUDGET` names the call sites that
   * sent the most.
   *
   * ```ts
   * const context = new TableContext(storage, { requestBudget: 50 });
   * ```
   */
  readonly requestBudget?: number | undefined;
  /**
   * The expected access patterns of queries, made by `definePatterns`.
   *
   * ```ts
   * import { anyText, definePatterns, pattern } from "@partita/patterns";
   *
   * const patterns = definePatterns({
   *   "of a channel": pattern(Blog, { channel: anyText() }, (query, values) => query.where(values), {
   *     atMost: "partition scan",
   *   }),
   * });
   * const context = new TableContext(storage, { patterns });
   * ```
   */
  readonly patterns?: DeclaredPatterns | undefined;
  /**
   * How a query is handled that matches none of `patterns`: `warn` (the default) emits a process warning
   * `PARTITA_UNKNOWN_PATTERN` once for each query shape, `error` (for tests) throws a PatternError `pattern.unknown`
   * before anything is sent, and `ignore` does nothing. Queries are compared by classes and operators, not by values.
   *
   * ```ts
   * import { anyText, definePatterns, pattern } from "@partita/patterns";
   *
   * const patterns = definePatterns({
   *   "of a channel": pattern(Blog, { channel: anyText() }, (query, values) => query.where(values), {
   *     atMost: "partition scan",
   *   }),
   * });
   * const context = new TableContext(storage, { patterns, unknownPattern: "error" });
   * ```
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

const isScopeValue = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") ||
  Number.isFinite(value) ||
  typeof value === "bigint" ||
  typeof value === "boolean";

const aScope: Check<ScopeOption> = accepted(
  '"all", or an object with a non-empty value for each property: { tenant: "acme" }',
  (value) =>
    value === "all" ||
    (typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length > 0 &&
      Object.values(value).every(isScopeValue)),
);

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
  createTables: accepted(
    "a list of entity classes",
    (value) => Array.isArray(value) && value.every((each) => typeof each === "function"),
  ),
  clock: aClock,
  scope: aScope,
  hooks: optionsOf(checkHooks),
  requestBudget: wholeNumber(1),
  patterns: accepted("the result of definePatterns()", isPatterns),
  unknownPattern: oneOf(...unknownPatternPolicies),
});

/** The default options; they need no checks. */
export const noContextOptions: ContextOptions = {};

/** @throws StateError `context.storage`; OptionError `context.option` */
export function checkContext(storage: TableStorage, options: ContextOptions): void {
  // A context has a method query, too.
  const { query, saveChanges } = (storage ?? {}) as {
    readonly query?: unknown;
    readonly saveChanges?: unknown;
  };
  if (typeof query !== "function" || saveChanges !== undefined)
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
      'effect only together with patterns: { patterns, unknownPattern: "error" }',
    );
}
