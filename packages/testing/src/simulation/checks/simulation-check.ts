import { messageOf } from "@partita/core/internal";
import type { TableContext, TableStorage } from "@partita/core";
import type { Journal, JournalEntry } from "../history/journal.ts";

/** A run, as passed to checks. */
export interface SimulatedRun {
  readonly seed: number;
  readonly journal: Journal;
  /** The store itself, without faults and without the scheduler. */
  readonly storage: TableStorage;
  /** Opens a new context on the store itself. */
  readonly openContext: () => TableContext;
  /** Whether every actor finished all its steps. */
  readonly isComplete: boolean;
  /** Changes that remained in doubt even after `resolveInDoubt({ wait: true })`. */
  readonly stuck: readonly string[];
}

/** The result of a check: a sentence or false for a problem; nothing or true if there is none. */
export type Finding = string | boolean | undefined | void;

/** A check of one run. */
export interface CheckOfRun {
  /** Called after the tables are set up. */
  readonly afterSetup?: () => Finding | Promise<Finding>;
  /** Called after each write that the store applied, before anything else happens. */
  readonly afterWrite?: (entry: JournalEntry) => Finding | Promise<Finding>;
  /** Called once all actors have ended, no request is in progress, and changes in doubt have been resolved. */
  readonly atEnd?: () => Finding | Promise<Finding>;
}

/** A condition for every run. */
export interface NamedCheck {
  readonly name: string;
  begin(run: SimulatedRun): CheckOfRun;
}

/** A check, or a function that is called at the end of each run. */
export type SimulationCheck = NamedCheck | ((run: SimulatedRun) => Finding | Promise<Finding>);

export function namedCheck(check: SimulationCheck): NamedCheck {
  if (typeof check !== "function") return check;
  return { name: check.name || "check", begin: (run) => ({ atEnd: () => check(run) }) };
}

/** Limits a check to runs in which every actor finished, for conditions on the complete work. */
export function whenComplete(check: SimulationCheck): NamedCheck {
  const named = namedCheck(check);
  return {
    name: named.name,
    begin(run) {
      const inner = named.begin(run);
      return {
        ...inner,
        atEnd: () => (run.isComplete ? inner.atEnd?.() : undefined),
      };
    },
  };
}

/** The problem as text; undefined if there is none. An error that the check throws is a problem, too. */
export async function findingOf(
  ask: () => Finding | Promise<Finding>,
): Promise<{ readonly message: string; readonly cause?: unknown } | undefined> {
  try {
    const finding = await ask();
    if (finding === undefined || finding === true) return undefined;
    return { message: finding === false ? "does not hold" : String(finding) };
  } catch (cause) {
    return { message: messageOf(cause), cause };
  }
}
