import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Session } from "../session/session.ts";
import { UsageError } from "../session/usage-error.ts";
import { printable } from "./printable.ts";

/** A question before data is destroyed. */
export interface Question {
  /** The consequence, as a sentence. */
  readonly consequence: string;
  /** The text to type. */
  readonly answer: string;
  /** Whether the user already agreed with `--yes`. */
  readonly yes: boolean;
}

/**
 * Asks in a terminal.
 *
 * @returns whether the user agreed
 * @throws UsageError if there is no terminal, and no `--yes`
 */
export async function confirm(
  { consequence, answer, yes }: Question,
  { input, say, isInteractive, signal }: Pick<Session, "input" | "say" | "isInteractive" | "signal">,
): Promise<boolean> {
  if (yes) return true;
  if (!isInteractive)
    throw new UsageError(
      `${consequence} Nothing was changed. Confirm with --yes, because no terminal can ask.`,
    );
  // Lines are read without control of the terminal, so Ctrl+C stays a signal.
  const lines = createInterface({ input: input(), output: process.stderr, terminal: false });
  const closed = once(lines, "close").then(() => "");
  const question = `${printable(consequence)} Type ${printable(answer)} to continue: `;
  try {
    const typed = await Promise.race([lines.question(question, { signal }), closed]);
    if (typed.trim() === answer) return true;
    say("Nothing was changed.");
    return false;
  } finally {
    lines.close();
  }
}
