// `work()` runs a function with a new context, saves once at the end, and starts again after a conflict.

import { StateError } from "../../values/errors/state-error.ts";
import { abortSignal, accepted, aFunction, oneOf, wholeNumber } from "../../values/options/checks.ts";
import { checkArgument, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { cancelled } from "../../values/errors/storage-error.ts";
import type { TableStorage } from "../../storage/table-storage.ts";
import { SaveError } from "../save/save-error.ts";
import type { SaveOptions } from "../save/save-options.ts";
import { isInside, runInside } from "../unit-of-work/hooks.ts";
import type { ContextOptions } from "./context-options.ts";
import { isCertainConflict, pauseBefore } from "./retry-conflicts.ts";
import { TableContext } from "./table-context.ts";

/** Options of `work`. */
export interface WorkOptions {
  /**
   * Maximum number of runs, including the first: 1 or more; default 5.
   *
   * ```ts
   * const run = async (context: TableContext) => context.find(Blog, { channel, postedOn });
   * await work(storage, run, { attempts: 10 });
   * ```
   */
  readonly attempts?: number | undefined;
  /**
   * `atomic` (default): all changes are one transaction, so after a conflict none of them is stored. With `auto`,
   * several transactions are sent; if only some of them are stored, `work` throws the SaveError.
   *
   * ```ts
   * await work(
   *   storage,
   *   (context) => {
   *     for (const bank of ["b", "c"]) context.create(Account, { bank, id: "9", balance: 0 });
   *   },
   *   { batch: "auto" },
   * );
   * ```
   */
  readonly batch?: "atomic" | "auto" | undefined;
  /**
   * Options of the context of each run.
   *
   * ```ts
   * const run = async (context: TableContext) => context.find(Blog, { channel, postedOn });
   * await work(storage, run, { context: { unreadableRows: "skip" } });
   * ```
   */
  readonly context?: ContextOptions | undefined;
  /**
   * Cancels the save, and starts no further run.
   *
   * ```ts
   * const run = async (context: TableContext) => context.find(Blog, { channel, postedOn });
   * await work(storage, run, { signal: AbortSignal.timeout(5000) });
   * ```
   */
  readonly signal?: AbortSignal | undefined;
}

const checkOptions: CheckOptions = defineOptions<WorkOptions>("work(storage, run, options)", {
  attempts: wholeNumber(1),
  batch: oneOf("atomic", "auto"),
  context: accepted("options of a context", (value) => typeof value === "object" && value !== null),
  signal: abortSignal,
});

/** Identifies code that runs inside any `work` call. */
const anyWork = {};

/**
 * Runs a function with a new context, and saves its changes once, as one transaction. If another program changed one of
 * the rows meanwhile, nothing is stored, and the function runs again with another new context. The function must have
 * no other effects, must not save itself, and must not call `work`.
 *
 * @example
 * ```ts
 * await work(storage, async (context) => {
 *   const account = await context.find(Account, { bank: "b", id: "1" });
 *   if (account !== undefined) account.balance -= 10;
 * });
 * ```
 *
 * @returns the function's result in the run that was saved; its entities are no longer tracked by any context
 * @throws SaveError of the last attempt, or as soon as a change is stored or may be stored; the function's own error;
 *   StateError `context.reentrant-work`, `context.reentrant-save`; OptionError
 */
export async function work<Result>(
  storage: TableStorage,
  run: (context: TableContext) => Result | Promise<Result>,
  options: WorkOptions = {},
): Promise<Result> {
  checkArgument("work(storage, run)", run, { ...aFunction, takes: "a function: async (context) => { … }" });
  checkOptions(options);
  const { attempts = 5, batch = "atomic", signal, context: contextOptions } = options;
  if (isInside(anyWork))
    throw new StateError(
      "context.reentrant-work",
      "work() was called inside the function of another work() call, so the changes could be stored only in part. Make all changes in one function.",
    );
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted === true) throw cancelled(signal);
    const context = new TableContext(storage, contextOptions);
    try {
      const result = await runInside(anyWork, () => runInside(context, () => run(context)));
      const refused = await saved(context, { batch, ...(signal && { signal }) });
      if (refused === undefined) return result;
      if (attempt === attempts) throw lastOf(attempt, refused);
    } finally {
      context.clear({ discard: true });
    }
    await pauseBefore(attempt);
  }
}

/**
 * Saves. Returns the error if all changes were refused because of other writers. Errors of the function itself are not
 * handled here.
 */
async function saved(context: TableContext, options: SaveOptions): Promise<SaveError | undefined> {
  try {
    await context.saveChanges(options);
    return undefined;
  } catch (error) {
    if (isCertainConflict(error)) return error;
    throw error;
  }
}

const lastOf = (attempts: number, error: SaveError): SaveError =>
  attempts === 1
    ? error
    : new SaveError(
        error.code,
        `${error.message} These are the results of the last of ${attempts} attempts.`,
        error.results,
        error.cause,
      );
