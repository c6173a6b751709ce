import { abortSignal, listOfEntities, oneOf, trueOrFalse, wholeNumber } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy, type RetryPolicy } from "../../storage/retry-policy.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { RemoveMissing } from "../unit-of-work/save-result.ts";

/** How a save groups and sends. */
export interface SaveOptions {
  /**
   * `auto` (default): one transaction per table and partition, split where it passes the service's limits. `atomic`:
   * refused before sending unless everything fits one transaction. `none`: one request per entity.
   */
  readonly batch?: "auto" | "atomic" | "none" | undefined;
  /**
   * How a changed entity is sent: `merge` (default) sends the changed properties only; `replace` sends the whole row,
   * which needs a wholly loaded entity.
   */
  readonly update?: "merge" | "replace" | undefined;
  /** Saves these entities only; the others stay pending. */
  readonly only?: Iterable<object> | undefined;
  /**
   * What the removal of an entity is whose row no longer exists: a conflict, unless its response was lost (`conflict`, the
   * default); as good as done (`ignore`); or, where one removal must win, a conflict or unknown (`error`).
   */
  readonly removeMissing?: RemoveMissing | undefined;
  /** Whether the other groups are still sent after one failed; default true. */
  readonly continueOnError?: boolean | undefined;
  /** Groups on the way at once; default 8. */
  readonly concurrency?: number | undefined;
  /** Cancels the save: what was not sent stays pending, what was sent may have been stored. */
  readonly signal?: AbortSignal | undefined;
  /** How requests are tried again; the context's policy when absent. */
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

/** Every option that has a default, decided. */
export type CheckedOptions = {
  readonly [Name in Exclude<keyof SaveOptions, "only" | "signal" | "retry">]-?: Exclude<
    SaveOptions[Name],
    undefined
  >;
} & Pick<SaveOptions, "signal" | "retry">;

/** Options that were checked as the save was asked for; it may begin later. */
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
  checkOptions(options);
  const { options: initial } = initialSave;
  const { batch = initial.batch, update = initial.update, removeMissing = initial.removeMissing } = options;
  const { continueOnError = initial.continueOnError, concurrency = initial.concurrency } = options;
  const { signal, retry, only } = options;
  // Read once, and by entity: what is tracked may be detached and come back before the save begins.
  const entities = only === undefined ? undefined : new Set(only);
  for (const entity of entities ?? []) tracker.tracked(entity, "saveChanges");
  return {
    options: {
      batch,
      update,
      removeMissing,
      continueOnError,
      concurrency,
      ...(signal && { signal }),
      ...(retry && { retry }),
    },
    only: entities,
  };
}
