import { SaveError, StorageError } from "@partita/core";
import type { Observation, ObservedType } from "./journal.ts";

/** A value that is written and read as a unit. */
export interface ObservedRegister {
  write<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  /** `work` returns the value. */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A number that operations add to. */
export interface ObservedCounter {
  add<Result>(value: number, work: () => Promise<Result>): Promise<Result>;
  /** `work` returns the number. */
  read<Result extends number | undefined>(work: () => Promise<Result>): Promise<Result>;
}

/** A set of values. */
export interface ObservedSet {
  add<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  remove<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  /** `work` returns whether the value is in the set. */
  has(value: unknown, work: () => Promise<boolean>): Promise<boolean>;
  /** `work` returns all values. */
  read<Result extends Iterable<unknown>>(work: () => Promise<Result>): Promise<Result>;
}

/** Values that may each be taken once, by one actor. */
export interface ObservedClaims {
  /** `work` returns the taken value, a text or a number; undefined if it took nothing. */
  take<Result extends string | number | undefined>(work: () => Promise<Result>): Promise<Result>;
}

/** The operation of a transaction on one list. */
export interface ListOperation {
  readonly list: string;
  /** The value that was appended. */
  readonly append?: unknown;
  /** The values that were read. */
  readonly read?: readonly unknown[] | undefined;
}

/** Lists of one partition, which transactions read and append to. */
export interface ObservedLists {
  /** `work` reports its reads and appends, which must take effect at one moment. */
  transact<Result>(
    work: (transaction: {
      /** Append each value at most once per run. */
      readonly append: (list: string, value: unknown) => void;
      readonly read: (list: string, values: Iterable<unknown>) => void;
    }) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Records the operations of an actor on shared objects for the checks: when each started and ended, and its result.
 * After a SaveError with an unknown outcome, an operation may have taken effect; if all outcomes are rejected, it has
 * not.
 */
export interface Observe {
  register(name: string): ObservedRegister;
  counter(name: string): ObservedCounter;
  set(name: string): ObservedSet;
  claims(name: string): ObservedClaims;
  /** @param name - of the partition */
  lists(name: string): ObservedLists;
}

/** The functions that record observations. */
export interface ObservationSource {
  readonly actor: string;
  readonly step: number;
  /** Returns a new position in the order of all events. */
  readonly mark: () => number;
  readonly now: () => number;
  readonly observations: Observation[];
}

type OpenObservation = { -readonly [Name in keyof Observation]: Observation[Name] };

export function observeFor(source: ObservationSource): Observe {
  const run = async <Result>(
    about: Pick<Observation, "type" | "name" | "operation">,
    value: unknown,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const observation: OpenObservation = {
      actor: source.actor,
      step: source.step,
      ...about,
      value,
      outcome: "running",
      result: undefined,
      began: source.mark(),
      ended: Number.POSITIVE_INFINITY,
      at: source.now(),
    };
    source.observations.push(observation);
    const end = (outcome: Observation["outcome"]): void => {
      Object.assign(observation, { outcome, ended: source.mark(), at: source.now() });
    };
    try {
      const result = await work();
      observation.result = result;
      end("done");
      return result;
    } catch (error) {
      end(hadNoEffect(error) ? "failed" : "unknown");
      throw error;
    }
  };
  const on = (type: ObservedType, name: string) => ({
    read: <Result>(work: () => Promise<Result>) => run({ type, name, operation: "read" }, undefined, work),
    write: <Result>(value: unknown, work: () => Promise<Result>) =>
      run({ type, name, operation: "write" }, value, work),
    add: <Result>(value: unknown, work: () => Promise<Result>) =>
      run({ type, name, operation: "add" }, value, work),
    remove: <Result>(value: unknown, work: () => Promise<Result>) =>
      run({ type, name, operation: "remove" }, value, work),
    has: (value: unknown, work: () => Promise<boolean>) => run({ type, name, operation: "has" }, value, work),
    take: <Result>(work: () => Promise<Result>) => run({ type, name, operation: "take" }, undefined, work),
  });
  return {
    register: (name) => on("register", name),
    counter: (name) => on("counter", name),
    set: (name) => on("set", name),
    claims: (name) => on("claims", name),
    lists: (name) => ({
      transact(work) {
        const operations: ListOperation[] = [];
        return run({ type: "lists", name, operation: "transact" }, operations, () =>
          work({
            append: (list, value) => void operations.push({ list, append: value }),
            read: (list, values) => void operations.push({ list, read: [...values] }),
          }),
        );
      },
    }),
  };
}

/** Whether an error proves that nothing was stored; the caller's own errors prove nothing. */
function hadNoEffect(error: unknown): boolean {
  if (SaveError.is(error)) return error.results.every(({ outcome }) => outcome === "rejected");
  return StorageError.is(error) && error.applied === "no";
}
