import { brand, isError, messageOf } from "@partita/core/internal";
import { TableError } from "@partita/core";

/** A problem that a simulation found. */
export interface Violation {
  /** The name of the check that found it, or `actors`. */
  readonly check: string;
  readonly message: string;
}

/** Ends a run with a violation. */
export class Found extends Error {
  readonly violation: Violation;

  constructor(violation: Violation, cause: unknown) {
    super(violation.message, { cause });
    this.violation = violation;
  }

  get isFound(): true {
    return true;
  }

  static is(value: unknown): value is Found {
    return (value as Partial<Found> | null | undefined)?.isFound === true;
  }

  /** An error that neither faults nor conflicts explain. */
  static inActor(name: string, error: unknown): Found {
    const message = isError(error) ? `${error.name}: ${error.message}` : String(error);
    return new Found({ check: "actors", message: `${name} failed with ${message}` }, error);
  }
}

/** The history of a run with a violation. */
export interface FoundHistory {
  readonly seed: number;
  readonly violation: Violation;
  /** One line per event, in order. */
  readonly history: readonly string[];
  /** The number of runs that shortened it. */
  readonly shrinks: number;
}

/**
 * A simulation found a history that violates a check (`simulation.violation`), or could not continue
 * (`simulation.stuck`).
 */
export class SimulationError extends TableError {
  static {
    brand(this, "SimulationError");
  }

  /** The seed to repeat it: `simulate(scenario, { seeds: [seed] })`; undefined if no seed caused it. */
  readonly seed: number | undefined;
  /** The shortest history that was found, one line per event. */
  readonly history: readonly string[];
  /** The check that failed. */
  readonly check: string | undefined;

  private constructor(code: string, message: string, found?: FoundHistory, options?: ErrorOptions) {
    const { seed, history = [], violation } = found ?? {};
    super(code, message, { seed, check: violation?.check }, options);
    this.seed = seed;
    this.history = history;
    this.check = violation?.check;
  }

  static violation(found: FoundHistory, cause?: unknown): SimulationError {
    const { seed, violation, history, shrinks } = found;
    const shrunk = shrinks === 0 ? "What happened" : `The shortest history of ${shrinks + 1} runs`;
    const message = [
      `Seed ${seed}: ${violation.check}: ${violation.message}`,
      `${shrunk}, in order:`,
      ...history.map((line) => `  ${line}`),
      `To repeat it, call simulate(scenario, { seeds: [${seed}] }) with the same other options.`,
    ].join("\n");
    return new SimulationError(
      "simulation.violation",
      message,
      found,
      cause === undefined ? undefined : { cause },
    );
  }

  static stuck(actor: string, ms: number): SimulationError {
    return new SimulationError(
      "simulation.stuck",
      `${actor} has waited ${ms} ms for an event that the simulation does not schedule: a socket, a file, a worker, or a promise of another actor. In a simulation, actors may only wait for requests of their storage and for time.`,
    );
  }

  static storage(cause: unknown): SimulationError {
    return new SimulationError(
      "simulation.storage",
      `The storage of a simulation could not be prepared: ${messageOf(cause)}`,
      undefined,
      { cause },
    );
  }
}
