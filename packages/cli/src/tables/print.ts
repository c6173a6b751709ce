import type { EntityKey } from "@partita/core";
import { withoutLinks } from "@partita/core/internal";
import type { VersionCount } from "@partita/maintenance";
import type { Session } from "../session/session.ts";
import { printable, printableKey } from "../terminal/printable.ts";

/** If lines are not redrawn, print one after this many rows. */
const rowsOfLine = 100_000;

/**
 * Shows the progress of a job at a table: in one line in a terminal, elsewhere with a line for each phase and
 * each 100,000 rows.
 */
export function jobProgress(
  { bar, say }: Session,
  table: string,
): (phase: string, read: number, done: string) => void {
  let shown = "";
  return (phase, read, done) => {
    const rows = bar.isShown ? read : Math.floor(read / rowsOfLine) * rowsOfLine;
    const line = `${table} ${phase.padEnd(7)} ${rows.toLocaleString("en")} read`;
    if (line === shown || (!bar.isShown && rows === 0)) return;
    shown = line;
    if (bar.isShown) bar.say(`${line}, ${done}`);
    else say(`${line}, ${done}`);
  };
}

/** Rows by kind and version, one line each. */
export const linesOf = (counts: readonly VersionCount[]): string[] =>
  counts
    .toSorted((a, b) => String(a.kind ?? "").localeCompare(String(b.kind ?? "")) || rank(a) - rank(b))
    .map(({ kind, version, count }) => {
      const of = kind === undefined ? "" : `${kind}, `;
      const label = version === undefined ? "without a version" : `version ${version}`;
      return `${count.toLocaleString("en").padStart(12)}  ${of}${label}`;
    });

const rank = ({ version }: VersionCount): number => Number(version ?? 0);

/**
 * The rows that a job did not change, and the reasons. `all` counts them, and may be more than those listed.
 */
export const leftLines = (
  left: readonly { readonly key: EntityKey; readonly reason: Error }[],
  all: number,
  what: string,
): string[] => [
  ...left.map(
    ({ key, reason }) => `  ${what}: ${printableKey(key)}: ${printable(withoutLinks(reason.message))}`,
  ),
  ...restLine(left.length, all),
];

/** The number of rows that are not listed. */
export const restLine = (listed: number, all: number): string[] =>
  all > listed ? [`  and ${(all - listed).toLocaleString("en")} more`] : [];
