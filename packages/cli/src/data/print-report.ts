import { withoutLinks } from "@partita/core/internal";
import type { OmittedRows, RefusedRow } from "@partita/transfer";
import { counted } from "../terminal/amounts.ts";
import { printable, printableKey } from "../terminal/printable.ts";

/** Joins counts with their labels: `12 written, 3 refused`. Counts of 0 are left out, except the first. */
export const listed = (...counts: readonly (readonly [count: number, done: string])[]): string =>
  counts
    .filter(([count], i) => count > 0 || i === 0)
    .map(([count, done]) => `${count.toLocaleString("en")} ${done}`)
    .join(", ");

/** The rows that a transfer did not write. */
interface Unwritten {
  readonly omitted: OmittedRows;
  readonly refused: number;
  readonly refusedRows: readonly RefusedRow[];
}

const most = 20;

/** Prints the rows that were left out or refused, and the reasons, without property values. */
export function printUnwritten(report: Partial<Unwritten>, say: (line: string) => void): void {
  const { omitted, refused = 0, refusedRows = [] } = report;
  if (omitted !== undefined) printOmitted(omitted, say);
  for (const { key, reason } of refusedRows.slice(0, most))
    say(`  refused: ${printableKey(key)}: ${printable(withoutLinks(reason.message))}`);
  if (refused > most) say(`  and ${(refused - most).toLocaleString("en")} more`);
}

function printOmitted({ messages, markers, indexRows }: OmittedRows, say: (line: string) => void): void {
  const counts = { "waiting message": messages, marker: markers, "index row": indexRows };
  const parts = Object.entries(counts).flatMap(([thing, count]) =>
    count === 0 ? [] : [counted(count, thing)],
  );
  if (parts.length > 0) say(`Left out: ${parts.join(", ")}.`);
  if (messages > 0)
    say(
      "The messages of the outbox are handled in their storage. To move them too, stop the program and move the complete storage with its queues: copy --all, or backup and restore.",
    );
}
