import type { RefusedRow } from "@partita/transfer";
import { printable, printableKey } from "../terminal/printable.ts";

/** Says which rows a storage does not take, and why, without their values. */
export function printRefused(rows: readonly RefusedRow[], count: number, say: (line: string) => void): void {
  for (const { key, reason } of rows.slice(0, most))
    say(`  refused: ${printableKey(key)}: ${printable(reason.message)}`);
  if (count > most) say(`  and ${(count - most).toLocaleString("en")} more`);
}

const most = 20;
