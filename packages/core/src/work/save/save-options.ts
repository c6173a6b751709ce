import { isEntity } from "../../model/declaration/model-registry.ts";
import { OptionError } from "../../values/errors/option-error.ts";
import { abortSignal, listOfEntities, oneOf, trueOrFalse, wholeNumber } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy, type RetryPolicy } from "../../storage/retry-policy.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { RemoveMissing } from "../unit-of-work/save-result.ts";

/** Options of a save. */
export interface SaveOptions {
  /**
   * `auto` (default): one transaction per table and partition, split if it exceeds the service's limits. `atomic`:
   * refused before sending unless everything fits one transaction. `none`: one request per entity.
   *
   * ```ts
   * order.note = "Gift";
   * context.create(Line, { tenant: "acme", id: "7", no: 3, sku: "C" });
   * await context.saveChanges({ batch: "atomic" });
   * ```
   */
  readonly batch?: "auto" | "atomic" | "none" | undefined;
  /**
   * How a changed entity is sent: `merge` (default) sends only the changed properties; `replace` sends the complete
   * row, so the entity must be completely loaded.
   *
   * ```ts
   * blog.rating = 5;
   * await context.saveChanges({ update: "replace" });
   * ```
   */
  readonly update?: "merge" | "replace" | undefined;
  /**
   * Saves only these entities, with the members of their owned lists; the others stay pending.
   *
   * ```ts
   * blog.rating = 5;
   * order.note = "Gift";
   * await context.saveChanges({ only: [blog] });
   * console.log(context.pendingChanges().length); // → 1
   * ```
   */
  readonly only?: Iterable<object> | undefined;
  /**
   * How the delete of a row that no longer exists is reported: `conflict` (the default), as a conflict unless its
   * response was lost; `ignore`, as committed; `error`, as a conflict, or as unknown if its response was lost. Use
   * `error` if one of several deletes must win.
   *
   * ```ts
   * context.removeByKey(Blog, { channel, postedOn: new Date(0) }, "*");
   * const [result] = await context.saveChanges({ removeMissing: "ignore" });
   * console.log(result?.outcome); // → committed
   * ```
   */
  readonly removeMissing?: RemoveMissing | undefined;
  /**
   * Whether the other groups are still sent after one failed; default true.
   *
   * ```ts
   * blog.rating = 5;
   * order.note = "Gift";
   * await context.saveChanges({ continueOnError: false });
   * ```
   */
  readonly continueOnError?: boolean | undefined;
  /**
   * Number of groups that are sent concurrently, 1 or more; default 8.
   *
   * ```ts
   * for (const bank of ["c", "d", "e"]) context.create(Account, { bank, id: "1", balance: 0 });
   * await context.saveChanges({ concurrency: 2 });
   * ```
   */
  readonly concurrency?: number | undefined;
  /**
   * Cancels the save: changes that were not sent stay pending, and those that were sent may be stored.
   *
   * ```ts
   * blog.rating = 5;
   * await context.saveChanges({ signal: AbortSignal.timeout(5000) });
   * ```
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How requests are retried; the context's policy when absent.
   *
   * ```ts
   * import { noRetry } from "@partita/core/rest";
   *
   * blog.rating = 5;
   * await context.saveChanges({ retry: noRetry });
   * ```
   */
  readonly retry?: RetryPolicy | undefined;
}

const checkOptions: CheckOptions = defineOptions<SaveOptions>("saveChanges(options)", {
  batch: oneOf("auto", "atomic", "none"),
  update: oneOf("merge", "replace"),
  only: listOfEntities,
  removeMissing: oneOf("conflict", "ignore", "error"),
  continueOnError: trueOrFalse,
  concurrency: wholeNumber(1),
  signal: abortSignal,
  retry: aRetryPolicy,
});

/** The options that have a default, with values. */
export type CheckedOptions = {
  readonly [Name in Exclude<keyof SaveOptions, "only" | "signal" | "retry">]-?: Exclude<
    SaveOptions[Name],
    undefined
  >;
} & Pick<SaveOptions, "signal" | "retry">;

/** Options as checked when the save was requested; the save may start later. */
export interface CheckedSave {
  readonly options: CheckedOptions;
  readonly only: ReadonlySet<object> | undefined;
}

/** A save without options. */
export const initialSave: CheckedSave = {
  options: {
    batch: "auto",
    update: "merge",
    removeMissing: "conflict",
    continueOnError: true,
    concurrency: 8,
  },
  only: undefined,
};

/** @throws OptionError `context.option`; StateError `entity.not-tracked` */
export function checkSaveOptions(options: SaveOptions, tracker: ChangeTracker): CheckedSave {
  if (typeof options === "object" && options !== null && (Array.isArray(options) || isEntity(options)))
    throw new OptionError(
      "context.option",
      "saveChanges(options) takes no entities: it saves all changes of the context. To save only some of them, write saveChanges({ only: [entity] }).",
      { call: "saveChanges(options)" },
    );
  checkOptions(options);
  const { only, ...given } = options;
  // A copy made now, since tracked entities may be detached and tracked again before the save starts.
  const entities = only === undefined ? undefined : new Set(only);
  for (const entity of entities ?? []) tracker.tracked(entity, "saveChanges");
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { options: { ...initialSave.options, ...Object.fromEntries(named) }, only: entities };
}
