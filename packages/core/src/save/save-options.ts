import { StateError } from "../errors/state-error.ts";
import { checkChoice, checkOptions } from "../errors/unknown-option.ts";
import { checkRetryPolicy, type RetryPolicy } from "../storage/retry-policy.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";

/** How a save groups and sends. */
export interface SaveOptions {
  /**
   * `auto` (default): one transaction per table and partition, split where it passes the service's limits. `atomic`:
   * refused before sending unless everything fits one transaction. `none`: one request per entity.
   */
  readonly batch?: "auto" | "atomic" | "none";
  /**
   * How a changed entity is sent: `merge` (default) sends the changed properties only; `replace` sends the whole row,
   * which needs a wholly loaded entity.
   */
  readonly update?: "merge" | "replace";
  /** Saves these entities only; the others stay pending. */
  readonly only?: Iterable<object>;
  /** Whether the removal of an entity that is gone already is a conflict (default), or as good as done. */
  readonly removeMissing?: "conflict" | "ignore";
  /** Whether the other groups are still sent after one failed; default true. */
  readonly continueOnError?: boolean;
  /** Groups on the way at once; default 8. */
  readonly concurrency?: number;
  /** Cancels the save: what was not sent stays pending, what was sent may have been stored. */
  readonly signal?: AbortSignal;
  /** How requests are tried again; the context's policy when absent. */
  readonly retry?: RetryPolicy;
}

/** Every option there is. */
const optionNames = [
  "batch",
  "update",
  "only",
  "removeMissing",
  "continueOnError",
  "concurrency",
  "signal",
  "retry",
] as const;

/** Every option that has a default, decided. */
export type CheckedOptions = Required<Omit<SaveOptions, "only" | "signal" | "retry">> &
  Pick<SaveOptions, "signal" | "retry">;

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

/** @throws StateError `context.option`, `context.concurrency`, `entity.not-tracked` */
export function checkSaveOptions(options: SaveOptions, tracker: ChangeTracker): CheckedSave {
  checkOptions("saveChanges(options)", options, optionNames);
  const { batch, update, removeMissing, continueOnError, concurrency } = {
    ...initialSave.options,
    ...options,
  };
  const { signal, retry, only } = options;
  checkChoice("saveChanges({ batch })", batch, ["auto", "atomic", "none"]);
  checkChoice("saveChanges({ update })", update, ["merge", "replace"]);
  checkChoice("saveChanges({ removeMissing })", removeMissing, ["conflict", "ignore"]);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new StateError(
      "context.concurrency",
      "saveChanges({ concurrency }) takes a whole number, 1 or more.",
    );
  if (only !== undefined && typeof (only as Partial<Iterable<object>>)[Symbol.iterator] !== "function")
    throw new StateError("context.option", "saveChanges({ only }) takes a list of entities: [entity].");
  if (typeof continueOnError !== "boolean")
    throw new StateError("context.option", "saveChanges({ continueOnError }) takes true or false.");
  if (retry !== undefined) checkRetryPolicy(retry);
  // Read once, and by entity: what is tracked may be let go and come back before the save begins.
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
