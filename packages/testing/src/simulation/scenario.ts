import {
  type ContextOptions,
  type EntityClass,
  OptionError,
  type TableContext,
  type TableStorage,
} from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { aFunction, type CheckOptions, defineOptions } from "@partita/core/internal";
import type { SimulationCheck } from "./checks/simulation-check.ts";
import type { Observe } from "./history/observe.ts";

/** Random choices of an actor: the same for the same seed. */
export interface SimulatedRandom {
  /** A whole number from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  /** An element of a list. */
  oneOf<Value>(list: readonly Value[]): Value;
}

/** The parameters of an actor's step. */
export interface ActorTools {
  /** The actor's name, such as `clerk 2`. */
  readonly name: string;
  /** The number of the actor among those of its name, starting from 1. */
  readonly number: number;
  /** The number of the step, starting from 1. */
  readonly step: number;
  /** A context for this step. */
  readonly context: TableContext;
  /** Opens another context on the same storage. */
  readonly openContext: (options?: Omit<ContextOptions, "clock">) => TableContext;
  /** The store as seen by this actor: for `createTables`, `upgradeTable`, leases and so on. */
  readonly storage: TableStorage;
  /** The actor's clock. In an actor, `Date`, `setTimeout` and `Math.random` also use the simulation. */
  readonly clock: Clock;
  readonly random: SimulatedRandom;
  readonly observe: Observe;
}

/** One step of an actor. Errors of saves and of the storage end the step; any other error is a violation. */
export type ActorStep = (tools: ActorTools) => void | Promise<unknown>;

/** A simulation: its classes, its actors and its checks. */
export interface Scenario<Name extends string = string> {
  /** The entity classes. Their tables are created before each run. */
  readonly classes: readonly EntityClass[];
  /** Stores initial data before the actors start; pending changes are saved. Nothing fails here. */
  readonly setup?: ((context: TableContext) => void | Promise<unknown>) | undefined;
  /** One step of each kind of actor. */
  readonly actors: Readonly<Record<Name, ActorStep>>;
  /**
   * The checks: `outcomes()`, `invariant()`, `linearizable()`, `takenOnce()`, `nothingLost()`, or your own function,
   * which throws or returns a sentence for a problem. A check must hold wherever an actor stops, unless it is
   * `whenComplete()`.
   */
  readonly check: SimulationCheck | readonly SimulationCheck[];
  /** Options of every context. */
  readonly context?: Omit<ContextOptions, "clock"> | undefined;
}

const checkOptions: CheckOptions = defineOptions<Scenario>(
  "scenario(options)",
  {
    classes: {
      takes: "a list of classes: [Account]",
      accepts: (value) =>
        Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "function"),
      isRequired: true,
    },
    setup: aFunction,
    actors: {
      takes: "a function for each kind of actor: { clerk: async ({ context }) => … }",
      accepts: (value) =>
        typeof value === "object" &&
        value !== null &&
        Object.keys(value).length > 0 &&
        Object.values(value).every((one) => typeof one === "function"),
      isRequired: true,
    },
    check: {
      takes: "a check or a list of checks: [outcomes(), invariant(Account, …)]",
      accepts: (value) => {
        const list: readonly unknown[] = Array.isArray(value) ? value : [value];
        return list.length > 0 && list.every(isCheck);
      },
      isRequired: true,
    },
    context: {
      takes: "the options of a context without its clock",
      accepts: (value) => typeof value === "object" && value !== null && !("clock" in value),
    },
  },
  "simulation.option",
);

const isCheck = (value: unknown): boolean =>
  typeof value === "function" || typeof (value as Partial<{ begin: unknown }> | null)?.begin === "function";

/**
 * Declares a scenario for `simulate`.
 *
 * @throws OptionError `simulation.option`
 */
export function scenario<const Name extends string>(declared: Scenario<Name>): Scenario<Name> {
  checkOptions(declared);
  const reserved = Object.keys(declared.actors).find((name) => name === "setup" || name.includes("/"));
  if (reserved !== undefined)
    throw new OptionError(
      "simulation.option",
      `scenario({ actors }) cannot have an actor named "${reserved}".`,
      {
        call: "scenario(options)",
        option: "actors",
      },
    );
  return declared;
}
