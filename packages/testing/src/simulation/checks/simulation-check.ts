import { messageOf } from "@partita/core/internal";
import type { TableContext, TableStorage } from "@partita/core";
import type { Journal, JournalEntry } from "../history/journal.ts";

/** A run as checks see it. */
export interface SimulatedRun {
  readonly seed: number;
  readonly journal: Journal;
  /** The store itself: nothing fails, and nobody waits for the scheduler. */
  readonly storage: TableStorage;
  /** A new context over the store itself. */
  readonly openContext: () => TableContext;
  /** Whether every actor came to its end, and none was stopped or left out. */
  readonly isComplete: boolean;
  /** Changes that even `resolveInDoubt({ wait: true })` left in doubt at the end. */
  readonly stuck: readonly string[];
}

/** What a check returns: a sentence for what is wrong; nothing, or true, where all is well. */
export type Finding = string | boolean | undefined | void;

/** A check of one run. */
export interface CheckOfRun {
  /** Called once the tables are set up. */
  readonly afterSetup?: () => Finding | Promise<Finding>;
  /** Called after each write that the store carried out, before anything else happens. */
  readonly afterWrite?: (entry: JournalEntry) => Finding | Promise<Finding>;
  /** Called when all actors have ended, nothing is on its way, and what was in doubt has been resolved. */
  readonly atEnd?: () => Finding | Promise<Finding>;
}

/** Something that must hold in every run. */
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

/** A check of runs in which every actor came to its end: of what is there when all the work is done. */
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

/** What is wrong, in words; undefined where all is well. An error that the check throws is a finding, too. */
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
