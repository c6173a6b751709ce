import { setImmediate as nextTurn } from "node:timers/promises";

type Warning = Error & { readonly code?: string };

/** The process warnings of Partita while something is done. They are not printed: only warnings that no test expects are. */
export async function warningsDuring(work: () => unknown): Promise<Warning[]> {
  const warnings: Warning[] = [];
  // Node prints warnings by a listener of its own.
  const listeners = process.listeners("warning");
  const note = (warning: Warning): void => {
    if (warning.code?.startsWith("PARTITA_") === true) warnings.push(warning);
    else for (const listener of listeners) listener(warning);
  };
  process.removeAllListeners("warning");
  process.on("warning", note);
  try {
    await work();
    // Warnings are emitted on the next tick.
    await nextTurn();
  } finally {
    process.removeAllListeners("warning");
    for (const listener of listeners) process.on("warning", listener);
  }
  return warnings;
}
