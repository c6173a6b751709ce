import { StateError } from "../errors/state-error.ts";

/** Whether a context is open. */
export class Lifetime {
  #isClosed = false;

  close(): void {
    this.#isClosed = true;
  }

  /** @throws StateError `context.disposed` when the context was closed */
  checkOpen(): void {
    if (this.#isClosed)
      throw new StateError(
        "context.disposed",
        "This context was closed. Make a new TableContext for each unit of work.",
      );
  }

  /** The same for what was being read when the context was closed. */
  checkStillOpen(): void {
    if (this.#isClosed)
      throw new StateError(
        "context.disposed",
        "This context was closed while something was still being read in it. Await what you return: `return await query.toArray()`, since `await using` closes the context as soon as the function returns.",
      );
  }
}
