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

/** Choices of an actor: the same for the same seed. */
export interface SimulatedRandom {
  /** A whole number from 0 up to `limit`, which is not among them. */
  below(limit: number): number;
  /** One of a list. */
  oneOf<Value>(list: readonly Value[]): Value;
}

/** What an actor works with in one step. */
export interface ActorTools {
  /** Such as `clerk 2`. */
  readonly name: string;
  /** Which of the actors of its name it is, counted from 1. */
  readonly number: number;
  /** Which step of the actor it is, counted from 1. */
  readonly step: number;
  /** A unit of work of this step. */
  readonly context: TableContext;
  /** Another one, over the same storage. */
  readonly openContext: (options?: Omit<ContextOptions, "clock">) => TableContext;
  /** The store as this actor sees it: for `createTables`, `upgradeTable`, leases and the like. */
  readonly storage: TableStorage;
  /** The actor's clock. In an actor, `Date`, `setTimeout` and `Math.random` are the simulation's too. */
  readonly clock: Clock;
  readonly random: SimulatedRandom;
  readonly observe: Observe;
}

/** One step of an actor. Errors of saves and of the storage end the step; any other error is a violation. */
export type ActorStep = (tools: ActorTools) => void | Promise<unknown>;

/** What is simulated: tables, those who work on them, and what must hold. */
export interface Scenario<Name extends string = string> {
  /** Their tables are created before each run. */
  readonly classes: readonly EntityClass[];
  /** Stores what is there before the actors begin; what it leaves pending is saved. Nothing fails here. */
  readonly setup?: ((context: TableContext) => void | Promise<unknown>) | undefined;
  /** One step of each kind of actor. */
  readonly actors: Readonly<Record<Name, ActorStep>>;
  /**
   * What must hold: `outcomes()`, `invariant()`, `linearizable()`, `takenOnce()`, `nothingLost()`, or a function of your own,
   * which throws or returns a sentence for what is wrong. A check must hold wherever an actor stops, unless it is
   * `whenComplete()`.
   */
  readonly check: SimulationCheck | readonly SimulationCheck[];
  /** Settings of every context. */
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
 * Declares what `simulate` runs.
 *
 * @throws OptionError `simulation.option`
 */
export function scenario<const Name extends string>(declared: Scenario<Name>): Scenario<Name> {
  checkOptions(declared);
  const reserved = Object.keys(declared.actors).find((name) => name === "setup" || name.includes("/"));
  if (reserved !== undefined)
    throw new OptionError("simulation.option", `scenario({ actors }) cannot name an actor "${reserved}".`, {
      call: "scenario(options)",
      option: "actors",
    });
  return declared;
}
