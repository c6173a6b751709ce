/** A line that shows the progress of long work: redrawn in a terminal, one line per tenth elsewhere. */
export interface ProgressBar {
  advance(count: number): void;
  finish(note: string): void;
}

export function progressBar(label: string, total: number): ProgressBar {
  const started = performance.now();
  const out = process.stdout;
  let done = 0;
  let shown = -1;
  const rate = (): string =>
    `${Math.round((done / (performance.now() - started)) * 1000).toLocaleString("en")}/s`;
  return {
    advance(count) {
      done += count;
      const percent = Math.floor((done / total) * 100);
      const step = out.isTTY ? percent : Math.floor(percent / 10) * 10;
      if (step === shown) return;
      shown = step;
      const bar = "█".repeat(Math.floor(step / 4)).padEnd(25, "░");
      const line = `${label} ${bar} ${String(step).padStart(3)} %  ${done.toLocaleString("en")} of ${total.toLocaleString("en")}  ${rate()}`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    finish(note) {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      out.write(
        `${out.isTTY ? "\r\x1b[K" : ""}${label}: ${done.toLocaleString("en")} entities in ${seconds} s (${rate()}); ${note}.\n`,
      );
    },
  };
}
