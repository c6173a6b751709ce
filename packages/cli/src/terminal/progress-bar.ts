import { formatBytes } from "./amounts.ts";
import { printable } from "./printable.ts";

const width = 40;

/** The stream of a bar. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** The progress of a command. */
interface BytesProgress {
  readonly done: number;
  /** The total. Undefined if unknown, and then only `done` is shown. */
  readonly size: number | undefined;
  /** Requests so far. */
  readonly calls?: number;
  /** Text to show after the numbers. */
  readonly note?: string;
}

/** The progress bar of one command. */
export interface ProgressBar {
  /** Whether it is visible. */
  readonly isShown: boolean;
  show(progress: BytesProgress): void;
  /** Shows another line instead of the bar. */
  say(line: string): void;
  /** Removes it. */
  end(): void;
}

/** A bar that is redrawn in a terminal. Elsewhere, nothing is printed, because only the result matters. */
export function progressBar(out: Terminal = process.stderr): ProgressBar {
  const isShown = out.isTTY === true;
  let shown = "";
  const say = (line: string): void => {
    if (!isShown || line === shown) return;
    shown = line;
    // Names in it may contain any characters.
    out.write(`\r\x1b[K${printable(line)}`);
  };
  return {
    isShown,
    show: (progress) => say(lineOf(progress)),
    say,
    end() {
      if (isShown && shown !== "") out.write("\r\x1b[K");
      shown = "";
    },
  };
}

function lineOf({ done, size, calls, note }: BytesProgress): string {
  const notes = [...(calls === undefined ? [] : [`${calls} calls`]), ...(note === undefined ? [] : [note])];
  const behind = notes.map((each) => `, ${each}`).join("");
  if (size === undefined) return `${formatBytes(done)}${behind}`;
  // A file may grow while it is read.
  const share = size === 0 ? 1 : Math.min(1, done / size);
  const full = Math.floor(share * width);
  const bar = "█".repeat(full) + "·".repeat(width - full);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${bar} ${percent} %  ${formatBytes(done)} of ${formatBytes(size)}${behind}`;
}
