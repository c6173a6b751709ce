import type { OmittedRows } from "@partita/transfer";
import { counted } from "../session/session.ts";

/** Says which rows were left out, and why, where there are any. */
export function printOmitted(
  { messages, markers, indexRows }: OmittedRows,
  say: (line: string) => void,
): void {
  const parts = [
    ...(messages === 0 ? [] : [counted(messages, "waiting message")]),
    ...(markers === 0 ? [] : [counted(markers, "marker")]),
    ...(indexRows === 0 ? [] : [counted(indexRows, "index row")]),
  ];
  if (parts.length === 0) return;
  say(`Left out: ${parts.join(", ")}.`);
  if (messages > 0)
    say(
      "The messages of the outbox are handled where they are. To move them too, stop the program and move the whole storage with its queues: copy --all, or backup and restore.",
    );
}
