/** What vitest's JSON reporter writes, as far as it is read here. */
export interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Whether tests caught a bug, and how. */
export interface Verdict {
  readonly isCaught: boolean;
  readonly text: string;
}

const missed = (text: string): Verdict => ({ isCaught: false, text });

/** Judges the run of a planted bug. Code that no longer makes sense proves nothing of the tests, although they fail. */
export function outcomeOf(report: Report | undefined): Verdict {
  const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  if (tests.length === 0) return missed("NO TEST RAN");
  const failed = tests.filter(({ status }) => status === "failed");
  const messages = failed.flatMap(({ failureMessages }) => failureMessages).join("\n");
  if (/\b(ReferenceError|SyntaxError)\b/.test(messages)) return missed("MAKES NO SENSE");
  if (failed.length === 0) return missed("MISSED");
  const histories = /Property failed after (\d+) tests/.exec(messages)?.[1];
  return {
    isCaught: true,
    text: histories === undefined ? "caught" : `caught after ${histories.padStart(4)} histories`,
  };
}
