import type { StressProgress, StressStep } from "@partita/testing";

/** The stream that shows progress. */
interface Terminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** One line that is redrawn in a terminal. Elsewhere, one line for each step. */
export function progressLine(
  name: string,
  out: Terminal = process.stdout,
): { readonly show: (progress: StressProgress) => void; readonly end: () => void } {
  return {
    show({ done, total, step, next }) {
      if (out.isTTY === true) {
        const now = next === undefined ? "" : `: step ${done + 1} of ${total}, ${round(next)} entities/s`;
        const before = step === undefined ? "" : ` (before: ${resultOf(step)})`;
        out.write(`\r\x1b[K${name}${now}${before}`);
      } else if (step !== undefined)
        out.write(`${name}: step ${done} of ${total}, ${round(step.rate)} entities/s: ${resultOf(step)}\n`);
    },
    end() {
      if (out.isTTY === true) out.write("\r\x1b[K");
    },
  };
}

function resultOf({ offered, served, p99Ms, isSustained }: StressStep): string {
  const latency = p99Ms === undefined ? "" : `, p99 ${round(p99Ms)} ms`;
  return `served ${round(served)} of ${round(offered)}${latency}${isSustained ? "" : ", not sustained"}`;
}

const round = (value: number): string => Math.round(value).toLocaleString("en");
