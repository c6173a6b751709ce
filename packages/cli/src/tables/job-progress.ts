/** Rows between two lines where lines are not redrawn. */
const rowsOfLine = 100_000;

/** How far a job at a table is. */
export interface JobProgressLine {
  /** @param done - what was done with the rows, such as "12 written" */
  readonly show: (phase: string, read: number, done: string) => void;
  readonly end: () => void;
}

/** One line that is redrawn on a terminal; elsewhere a line for each phase and each 100,000 rows. */
export function jobProgressLine(table: string): JobProgressLine {
  const out = process.stdout;
  let shown = "";
  return {
    show(phase, read, done) {
      const rows = out.isTTY ? read : Math.floor(read / rowsOfLine) * rowsOfLine;
      const line = `${table} ${phase.padEnd(7)} ${rows.toLocaleString("en")} read`;
      if (line === shown || (!out.isTTY && rows === 0)) return;
      shown = line;
      const text = `${line}, ${done}`;
      out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    },
    end() {
      if (out.isTTY) out.write("\r\x1b[K");
    },
  };
}
