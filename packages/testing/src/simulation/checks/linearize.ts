/** An object that executes its operations one after another. */
export interface SequentialObject<State> {
  readonly initial: State;
  /** The state after an operation; undefined if the operation could not have had its result in this state. */
  apply(state: State, operation: Invocation): { readonly state: State } | undefined;
  /** Returns equal text for equal states only. */
  print(state: State): string;
}

/** A call of an operation. */
export interface Invocation {
  readonly operation: string;
  readonly value: unknown;
  readonly result: unknown;
  readonly began: number;
  /** Infinite if it is unknown when, or whether, it took effect. */
  readonly ended: number;
}

/**
 * Whether some order of operations is consistent with the object and the operations' times. Each takes effect at one
 * moment between its start and its end; those without an end may take effect later or never. The algorithm is by Wing
 * and Gong, with Lowe's memory of sets of operations and states that led to nothing.
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
      // An operation that started after another one had ended comes after it.
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
