import type { Readable } from "node:stream";
import { styleText } from "node:util";
import { isNativeError } from "node:util/types";
import { Output } from "../terminal/output.ts";
import { printableLines } from "../terminal/printable.ts";
import { progressBar, type ProgressBar } from "../terminal/progress-bar.ts";

/** A colour for terminals. */
type TextFormat = "red" | "yellow" | "green";

/** The streams and the signal of a command that can be stopped. */
export interface Session {
  /** For results. */
  readonly out: Output;
  /** For messages other than results, one per line. */
  readonly say: (line: string, format?: TextFormat) => void;
  readonly bar: ProgressBar;
  /** Whether a user can be asked. */
  readonly isInteractive: boolean;
  /** Standard input. */
  readonly input: () => Readable;
  /** Aborted by SIGINT and SIGTERM, and if the reader of the results closes them. */
  readonly signal: AbortSignal;
}

/** Prints the plan of a query, in the colour of its rating. */
export function sayPlan({ say }: Pick<Session, "say">, plan: string): void {
  const format = /\((?:best|good)\)/.test(plan) ? "green" : plan.includes("(fair)") ? "yellow" : "red";
  say(`Plan: ${plan}`, format);
}

/** A request that cannot be fulfilled. The exit code is 1. */
export class CommandError extends Error {
  get isCommandError(): true {
    return true;
  }

  static is(value: unknown): value is CommandError {
    return (value as Partial<CommandError> | null | undefined)?.isCommandError === true;
  }
}

/** A signal stopped the command. The exit code is 130. */
export class Stopped extends Error {
  override readonly name: string = "Stopped";

  constructor() {
    super("Stopped.");
  }

  static is(value: unknown): value is Stopped {
    return isNativeError(value) && value.name === "Stopped";
  }
}

/**
 * Runs a command until it ends or is stopped.
 *
 * @param howToGoOn - printed if it was stopped
 * @returns the exit code: 130 if it was stopped
 */
export async function inSession(
  work: (session: Session) => Promise<number>,
  howToGoOn: () => string = () => "",
): Promise<number> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  const out = new Output();
  const bar = progressBar();
  const session: Session = {
    out,
    bar,
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    input: () => process.stdin,
    say(line, format) {
      bar.end();
      const text = printableLines(line);
      console.error(format === undefined ? text : styleText(format, text, { stream: process.stderr }));
    },
    signal: AbortSignal.any([stop.signal, out.closed]),
  };
  try {
    const code = await work(session);
    await out.end();
    return code;
  } catch (error) {
    if (stop.signal.aborted) {
      session.say(`Stopped. ${howToGoOn()}`.trim());
      return 130;
    }
    // Throws if results could not be written. A reader that closes its end, such as `| head`, has all it
    // wanted.
    const hasNoReader = out.closed.aborted;
    await out.end();
    if (hasNoReader) return 0;
    throw error;
  } finally {
    bar.end();
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}
