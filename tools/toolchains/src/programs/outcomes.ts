import { compilePrograms, type FirstError } from "./compile-programs.ts";
import type { Dialect, Program } from "./corpus.ts";
import { isReadable } from "./readable-line.ts";
import { codeOf, runProgram } from "./run-program.ts";

/** The outcome of a program, from the best to the worst for a wrong one. */
export type Outcome =
  /** It does not compile, and the first line gives the reason. */
  | "readable"
  /** It does not compile, and the first line does not give the reason. */
  | "unreadable"
  /** It compiles, and ends with an error with a code. */
  | "at run time"
  /** It compiles, and ends with an error without a code of ours. */
  | "foreign error"
  /** It compiles and runs. */
  | "silent";

const order: readonly Outcome[] = ["readable", "unreadable", "at run time", "foreign error", "silent"];

/** The outcome of one program: the worst of its dialects. */
export interface Result {
  readonly program: Program;
  readonly dialect: Dialect;
  readonly outcome: Outcome;
  /** The first line of the error, or its code. */
  readonly why: string;
}

/** Compiles programs in their dialects, and runs those that compile. */
export async function resultsOf(programs: readonly Program[]): Promise<Result[]> {
  const worst = new Map<Program, Result>();
  for (const dialect of ["standard", "legacy"] as const) {
    const own = programs.filter(({ dialects }) => dialects.includes(dialect));
    for (const [program, error] of compilePrograms(own, dialect)) {
      const result = { program, dialect, ...(await outcomeOf(program, dialect, error)) };
      const other = worst.get(program);
      if (other === undefined || order.indexOf(other.outcome) < order.indexOf(result.outcome))
        worst.set(program, result);
    }
  }
  return programs.map((program) => worst.get(program) as Result);
}

async function outcomeOf(
  program: Program,
  dialect: Dialect,
  error: FirstError | undefined,
): Promise<Pick<Result, "outcome" | "why">> {
  if (error !== undefined)
    return {
      outcome: isReadable(error, program.names) ? "readable" : "unreadable",
      why: `${error.line.length} characters: ${error.line}`,
    };
  try {
    await runProgram(program, dialect);
    return { outcome: "silent", why: "" };
  } catch (thrown) {
    const code = codeOf(thrown);
    return code === undefined
      ? { outcome: "foreign error", why: String(thrown) }
      : { outcome: "at run time", why: code };
  }
}

/** A list of results in Markdown. */
export const listOf = (results: readonly Result[]): string =>
  results
    .map(
      ({ program: { title, form, place }, dialect, outcome, why }) =>
        `- ${outcome}: ${title} (${form}, ${dialect}; ${place})${why === "" ? "" : `\n  ${why.slice(0, 240)}`}`,
    )
    .join("\n");
