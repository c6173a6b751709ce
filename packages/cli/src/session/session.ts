import type { Readable } from "node:stream";
import { isNativeError } from "node:util/types";
import { Output } from "../terminal/output.ts";
import { printableLines } from "../terminal/printable.ts";
import { progressBar, type ProgressBar } from "../terminal/progress-bar.ts";
import { UsageError } from "./usage-error.ts";
import { inCommandWords } from "./command-words.ts";

/** What a command that can be stopped works with. */
export interface Session {
  /** For results. */
  readonly out: Output;
  /** For what is said beside results, a line each. */
  readonly say: (line: string) => void;
  readonly bar: ProgressBar;
  /** Standard input. */
  readonly input: () => Readable;
  /** Aborted by SIGINT and SIGTERM, and when nobody reads the results any more. */
  readonly signal: AbortSignal;
}

/** What cannot be done as it was asked; the exit code is 1. */
export class CommandError extends Error {
  get isCommandError(): true {
    return true;
  }

  static is(value: unknown): value is CommandError {
    return (value as Partial<CommandError> | null | undefined)?.isCommandError === true;
  }
}

/**
 * Runs a command until it ends or is stopped.
 *
 * @param howToGoOn - said when it was stopped
 * @returns the exit code: 130 when it was stopped
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
    input: () => process.stdin,
    say(line) {
      bar.end();
      console.error(printableLines(line));
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
    // Throws where results could not be written. Whoever does not read on, as `| head`, has all that was wanted.
    const hasNoReader = out.closed.aborted;
    await out.end();
    if (hasNoReader) return 0;
    throw withCode(error);
  } finally {
    bar.end();
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}

/** Errors of Partita with their codes in front, as those of Node have them. */
function withCode(error: unknown): unknown {
  if (!isNativeError(error) || UsageError.is(error) || CommandError.is(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || message.startsWith(`${code}:`) || code === "ERR_MODULE_NOT_FOUND")
    return error;
  const said = `${code}: ${inCommandWords(code, message)}`;
  return code.endsWith(".option")
    ? new UsageError(said, { cause: error })
    : new CommandError(said, { cause: error });
}
