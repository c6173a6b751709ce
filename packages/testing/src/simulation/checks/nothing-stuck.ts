import type { NamedCheck } from "./simulation-check.ts";

/** Options of `nothingStuck`. */
export interface NothingStuckOptions {
  /** Whether a final outcome may be unknown; default true. Set it to false if all tables have markers. */
  readonly mayStayUnknown?: boolean | undefined;
}

/**
 * Checks that unknown outcomes can be resolved: once faults have stopped, one `resolveInDoubt({ wait: true })` leaves
 * nothing in doubt. The simulation calls it for every context that reported an unknown outcome.
 */
export function nothingStuck({ mayStayUnknown = true }: NothingStuckOptions = {}): NamedCheck {
  return {
    name: "nothing stuck",
    begin: ({ journal, stuck }) => ({
      atEnd() {
        if (stuck.length > 0)
          return `still in doubt after resolveInDoubt({ wait: true }): ${stuck.join(", ")}`;
        const unknown = journal.results.find(({ isLast, result }) => isLast && result.outcome === "unknown");
        if (mayStayUnknown || unknown === undefined) return undefined;
        const { operation, subject } = unknown.result;
        return `unknown after resolveInDoubt({ wait: true }): ${operation} of ${subject}`;
      },
    }),
  };
}
