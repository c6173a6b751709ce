import { setImmediate as nextTurn } from "node:timers/promises";

type ProcessWarning = Error & { readonly code?: string };

/** The process warnings of Partita during some work. They are not printed, because a test expects them. */
export async function warningsDuring(work: () => unknown): Promise<ProcessWarning[]> {
  const warnings: ProcessWarning[] = [];
  const printers = process.listeners("warning");
  const note = (warning: ProcessWarning): void => {
    if (warning.code?.startsWith("PARTITA_") === true) warnings.push(warning);
    else for (const print of printers) print(warning);
  };
  process.removeAllListeners("warning");
  process.on("warning", note);
  try {
    await work();
    // Warnings are emitted on the next tick.
    await nextTurn();
  } finally {
    process.removeAllListeners("warning");
    for (const print of printers) process.on("warning", print);
  }
  return warnings;
}
