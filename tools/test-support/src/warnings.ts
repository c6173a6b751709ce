import { setImmediate as nextTurn } from "node:timers/promises";

/** The process warnings of Partita while something is done. */
export async function warningsDuring(work: () => unknown): Promise<(Error & { readonly code?: string })[]> {
  const warnings: (Error & { readonly code?: string })[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.code?.startsWith("PARTITA_") === true) warnings.push(warning);
  };
  process.on("warning", note);
  try {
    await work();
    // Warnings are emitted on the next tick.
    await nextTurn();
  } finally {
    process.off("warning", note);
  }
  return warnings;
}
