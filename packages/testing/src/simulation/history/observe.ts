import { SaveError, StorageError } from "@partita/core";
import type { Observation, ObservedType } from "./journal.ts";

/** One value that is written and read whole. */
export interface ObservedRegister {
  write<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  /** The work returns the value. */
  read<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A number that is added to. */
export interface ObservedCounter {
  add<Result>(value: number, work: () => Promise<Result>): Promise<Result>;
  /** The work returns the number. */
  read<Result extends number | undefined>(work: () => Promise<Result>): Promise<Result>;
}

/** Values, each of which is in or not. */
export interface ObservedSet {
  add<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  remove<Result>(value: unknown, work: () => Promise<Result>): Promise<Result>;
  /** The work returns whether the value is in. */
  has(value: unknown, work: () => Promise<boolean>): Promise<boolean>;
  /** The work returns all values. */
  read<Result extends Iterable<unknown>>(work: () => Promise<Result>): Promise<Result>;
}

/** Things that may be taken by one actor each. */
export interface ObservedClaims {
  /** The work returns what it took: a text or a number; undefined for nothing. */
  take<Result extends string | number | undefined>(work: () => Promise<Result>): Promise<Result>;
}

/** What a transaction did with one list. */
export interface ListOperation {
  readonly list: string;
  /** The value that was appended. */
  readonly append?: unknown;
  /** The values that were read. */
  readonly read?: readonly unknown[] | undefined;
}

/** Lists of one partition, which transactions read and append to. */
export interface ObservedLists {
  /** The work says what it read and what it appends; all of it is to take effect at one moment. */
  transact<Result>(
    work: (transaction: {
      /** Each value is appended once in a run. */
      readonly append: (list: string, value: unknown) => void;
      readonly read: (list: string, values: Iterable<unknown>) => void;
    }) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Writes down what an actor does with something that others use too, so that checks can judge it: when it began, when it ended,
 * and what came of it. A SaveError with an unknown outcome may have taken effect; one whose outcomes are all rejected has not.
 */
export interface Observe {
  register(name: string): ObservedRegister;
  counter(name: string): ObservedCounter;
  set(name: string): ObservedSet;
  claims(name: string): ObservedClaims;
  /** @param name - of the partition */
  lists(name: string): ObservedLists;
}

/** What observations are written down with. */
export interface ObservationSource {
  readonly actor: string;
  readonly step: number;
  /** A place of its own in the order of everything that happens. */
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

/** Whether an error proves that nothing was stored; one of the caller's own says nothing of it. */
function hadNoEffect(error: unknown): boolean {
  if (SaveError.is(error)) return error.results.every(({ outcome }) => outcome === "rejected");
  return StorageError.is(error) && error.applied === "no";
}
