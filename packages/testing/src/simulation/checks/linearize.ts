/** An object as one that does one thing after another. */
export interface SequentialObject<State> {
  readonly initial: State;
  /** The state after an operation; undefined where the operation could not have returned what it did in that state. */
  apply(state: State, operation: Invocation): { readonly state: State } | undefined;
  /** Equal for equal states only. */
  print(state: State): string;
}

/** One operation as it was called. */
export interface Invocation {
  readonly operation: string;
  readonly value: unknown;
  readonly result: unknown;
  readonly began: number;
  /** Infinite where nobody knows whether, and when, it took effect. */
  readonly ended: number;
}

/**
 * Whether there is an order of operations that fits an object and their times: each takes effect at one moment between its
 * beginning and its end, those without an end at some later moment or never. By Wing and Gong, remembering the sets of operations
 * and states from which nothing was found, as Lowe does.
 */
export function isLinearizable<State>(
  object: SequentialObject<State>,
  operations: readonly Invocation[],
): boolean {
  const failed = new Set<string>();
  const search = (left: readonly number[], state: State): boolean => {
    const open = left.map((at) => operations[at] as Invocation);
    const firstEnd = Math.min(...open.map(({ ended }) => ended));
    if (firstEnd === Number.POSITIVE_INFINITY) return true;
    const id = `${left.join(",")} ${object.print(state)}`;
    if (failed.has(id)) return false;
    for (const at of left) {
      const operation = operations[at] as Invocation;
      // One that began after another had ended comes after it.
      if (operation.began > firstEnd) continue;
      const next = object.apply(state, operation);
      if (
        next !== undefined &&
        search(
          left.filter((other) => other !== at),
          next.state,
        )
      )
        return true;
    }
    failed.add(id);
    return false;
  };
  return search([...operations.keys()], object.initial);
}
