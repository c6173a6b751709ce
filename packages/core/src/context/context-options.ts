import { StateError } from "../errors/state-error.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { type UndeclaredPolicy, undeclaredPolicies } from "../model/undeclared-policy.ts";
import { checkRetryPolicy, type RetryPolicy } from "../storage/retry-policy.ts";
import type { Clock } from "../storage/clock.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { type MergeOption, mergeOptions } from "../unit-of-work/merge-row.ts";
import { type ContextHooks, hookNames } from "../observe/hooks.ts";
import type { EntityValidator } from "../save/validate-entities.ts";

/** What happens to rows that cannot be upgraded. */
export type FailedUpgradePolicy = "stop" | "skip" | "raw";

/** Settings of a context. */
export interface ContextOptions {
  /** How query rows meet tracked entities, where the query does not say; default `appendOnly`. */
  readonly mergeOption?: MergeOption;
  /** Whether edits are found by comparison (default), or only what `update()` names is saved. */
  readonly tracking?: "automatic" | "explicit";
  /**
   * Checks every entity that a save would write; a violation stops the whole save before any request. One validator, or
   * several that are asked one after another: `classValidator()`, `standardSchema(Blog, schema)`, or your own function.
   */
  readonly validate?: EntityValidator | readonly EntityValidator[];
  /**
   * When rows of older versions are stored as what they are upgraded to: `memory` (default) with the next change of
   * their entity, `write` at once when a tracked query or `find` reads them, under their ETag.
   */
  readonly upgrade?: "memory" | "write";
  /**
   * What happens to rows that cannot be upgraded: the query stops with an UpgradeError (default), skips them, or yields
   * the stored row itself, frozen, which is no instance of the class.
   */
  readonly failedUpgrades?: FailedUpgradePolicy;
  /**
   * What a save does about values that an added or changed entity has and its class does not declare, so that they would
   * not be stored: `warn` once a class (the default, except where `NODE_ENV` is `production`), `error` or `ignore`. What
   * a class says goes before it.
   */
  readonly undeclared?: UndeclaredPolicy;
  /**
   * Whether a row without a value of a required property is an error, `property.absent`. Default false: it reads as
   * undefined, with a process warning `PARTITA_ABSENT_VALUE` once a class. What a class says goes before it.
   */
  readonly strictReads?: boolean;
  /** How requests are tried again; default `adaptive()`. */
  readonly retry?: RetryPolicy;
  /**
   * Whether queries and `find` may be answered by the account's secondary, some minutes old, where a first try of the
   * primary failed; default false. What decides over a write, such as `reload`, always asks the primary.
   */
  readonly staleReads?: boolean;
  /** The time, for waiting between tries and for what may yet arrive late; the system's when absent. */
  readonly clock?: Clock;
  /** Called for requests, entities and changes on the way. */
  readonly hooks?: ContextHooks;
  /** Requests after which a process warning `PARTITA_REQUEST_BUDGET` names the call sites that sent most. */
  readonly requestBudget?: number;
}

/** @throws StateError `context.storage`, `context.option`, `context.retry` */
export function checkContext(storage: TableStorage, options: ContextOptions): void {
  if (typeof (storage as Partial<TableStorage> | undefined)?.query !== "function")
    throw new StateError(
      "context.storage",
      'new TableContext(storage) takes an open storage: await openStorage("file:path.db").',
    );
  const known = [
    "mergeOption",
    "tracking",
    "validate",
    "upgrade",
    "failedUpgrades",
    "undeclared",
    "strictReads",
    "retry",
    "staleReads",
    "clock",
    "hooks",
    "requestBudget",
  ];
  checkOptions("new TableContext(storage, options)", options, known);
  const { mergeOption, tracking, validate, retry, hooks, requestBudget } = options;
  if (mergeOption !== undefined) checkChoice("mergeOption", mergeOption, mergeOptions);
  if (tracking !== undefined) checkChoice("tracking", tracking, ["automatic", "explicit"]);
  if (validate !== undefined && ![validate].flat().every((one) => typeof one === "function"))
    throw new StateError(
      "context.option",
      "validate takes a function, or a list of functions. For a schema of zod, valibot or arktype, write standardSchema(Class, schema).",
    );
  if (options.upgrade !== undefined) checkChoice("upgrade", options.upgrade, ["memory", "write"]);
  if (options.failedUpgrades !== undefined)
    checkChoice("failedUpgrades", options.failedUpgrades, ["stop", "skip", "raw"]);
  if (options.undeclared !== undefined) checkChoice("undeclared", options.undeclared, undeclaredPolicies);
  if (retry !== undefined) checkRetryPolicy(retry);
  for (const name of ["strictReads", "staleReads"] as const)
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw new StateError("context.option", `${name} takes true or false.`);
  if (options.clock !== undefined && typeof options.clock.wait !== "function")
    throw new StateError("context.option", "clock takes { now(), wait(ms, signal) }.");
  if (hooks !== undefined) checkOptions("hooks", hooks, hookNames);
  for (const name of hookNames)
    if (hooks?.[name] !== undefined && typeof hooks[name] !== "function")
      throw new StateError("context.option", `hooks.${name} takes a function.`);
  if (requestBudget !== undefined && !(Number.isInteger(requestBudget) && requestBudget >= 1))
    throw new StateError("context.option", "requestBudget takes a whole number of requests, 1 or more.");
}
