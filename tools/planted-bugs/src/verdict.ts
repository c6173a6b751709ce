/** The result of one test. */
export interface TestReport {
  readonly state: string;
  readonly messages: readonly string[];
}

/** The tests of one file that ran with a bug. */
export interface Report {
  /** The bug's name. */
  readonly bug: string;
  /** Duration of the tests. */
  readonly ms: number;
  readonly tests: readonly TestReport[];
}

/** Whether tests caught a bug, and how. */
export interface Verdict {
  readonly isCaught: boolean;
  readonly text: string;
}

const missed = (text: string): Verdict => ({ isCaught: false, text });

/** Judges the run of a planted bug. Invalid code proves nothing about the tests, although they fail. */
export function outcomeOf(reports: readonly Report[]): Verdict {
  const tests = reports.flatMap((report) => report.tests);
  if (tests.length === 0) return missed("NO TEST RAN");
  const failed = tests.filter(({ state }) => state === "failed");
  const messages = failed.flatMap((test) => test.messages).join("\n");
  if (/\b(ReferenceError|SyntaxError)\b/.test(messages)) return missed("MAKES NO SENSE");
  if (failed.length === 0) return missed("MISSED");
  const histories = /Property failed after (\d+) tests/.exec(messages)?.[1];
  return {
    isCaught: true,
    text: histories === undefined ? "caught" : `caught after ${histories.padStart(4)} histories`,
  };
}
