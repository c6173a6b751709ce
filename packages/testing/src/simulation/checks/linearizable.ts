import type { Observation, ObservedType } from "../history/journal.ts";
import { type Invocation, isLinearizable, type SequentialObject } from "./linearize.ts";
import type { NamedCheck } from "./simulation-check.ts";

/** The initial values of observed objects, by name; undefined, 0 or an empty set when absent. */
export type InitialValues = Readonly<Record<string, unknown>>;

/**
 * Checks that each register, counter and set of `observe` behaves as if every operation took effect at one moment while
 * it ran. An operation with an unknown outcome may take effect later, or never.
 */
export function linearizable(initial: InitialValues = {}): NamedCheck {
  return {
    name: "linearizable",
    begin: ({ journal }) => ({
      atEnd() {
        const objects = Map.groupBy(journal.observations, ({ type, name }) => `${type} ${name}`);
        for (const [id, observations] of objects) {
          const [{ type, name }] = observations as [Observation];
          if (!fits(type, initial[name], invocationsOf(observations)))
            return `no order of its ${observations.length} operations explains ${id}`;
        }
        return undefined;
      },
    }),
  };
}

function fits(type: ObservedType, initial: unknown, operations: readonly Invocation[]): boolean {
  switch (type) {
    case "register":
      return isLinearizable(register(initial), operations);
    case "counter":
      return isLinearizable(counter(Number(initial ?? 0)), operations);
    case "set":
      return isLinearizable(setOf((initial ?? []) as Iterable<unknown>), operations);
    case "claims":
    case "lists":
      return true;
    default:
      return type satisfies never;
  }
}

/** A failed operation had no effect. A read without a result is ignored. */
function invocationsOf(observations: readonly Observation[]): Invocation[] {
  return observations.flatMap(({ outcome, operation, value, result, began, ended }) => {
    const isRead = operation === "read" || operation === "has";
    if (outcome === "failed" || (isRead && outcome !== "done")) return [];
    return [
      { operation, value, result, began, ended: outcome === "done" ? ended : Number.POSITIVE_INFINITY },
    ];
  });
}

const print = (value: unknown): string => JSON.stringify(value) ?? "undefined";

const register = (initial: unknown): SequentialObject<unknown> => ({
  initial,
  print,
  apply(state, { operation, value, result }) {
    if (operation === "write") return { state: value };
    return print(state) === print(result) ? { state } : undefined;
  },
});

const counter = (initial: number): SequentialObject<number> => ({
  initial,
  print: String,
  apply(state, { operation, value, result }) {
    if (operation === "add") return { state: state + Number(value) };
    return state === result ? { state } : undefined;
  },
});

/** The values as sorted texts. */
const setOf = (initial: Iterable<unknown>): SequentialObject<readonly string[]> => ({
  initial: Array.from(initial, print).toSorted(),
  print: (state) => state.join(),
  apply(state, { operation, value, result }) {
    const own = print(value);
    const others = state.filter((each) => each !== own);
    switch (operation) {
      case "add":
        return { state: [...others, own].toSorted() };
      case "remove":
        return { state: others };
      case "has":
        return state.includes(own) === result ? { state } : undefined;
      default: {
        const read = Array.from(result as Iterable<unknown>, print).toSorted();
        return read.join() === state.join() ? { state } : undefined;
      }
    }
  },
});
