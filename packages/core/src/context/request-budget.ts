/** Counts a context's requests, and says once where they came from when they are more than it was given. */
export class RequestBudget {
  readonly #limit: number;
  readonly #sites = new Map<string, number>();
  #count = 0;

  /** @param limit - requests of one context; tries again count too */
  constructor(limit: number) {
    this.#limit = limit;
  }

  count(): void {
    this.#count++;
    const site = callSite();
    this.#sites.set(site, (this.#sites.get(site) ?? 0) + 1);
    if (this.#count !== this.#limit + 1) return;
    const busiest = [...this.#sites].toSorted(([, a], [, b]) => b - a).slice(0, 3);
    const list = busiest.map(([place, count]) => `${count} from ${place}`).join("; ");
    process.emitWarning(
      `A context sent more than its budget of ${this.#limit} request(s): ${list}. Read related entities with one query, or findMany().`,
      { code: "PARTITA_REQUEST_BUDGET" },
    );
  }
}

/** The first caller outside this package. */
function callSite(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const lines = (new Error("call site").stack ?? "").split("\n").slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  return callSiteIn(lines);
}

/**
 * The first line of a stack trace outside of the package that its first line is in. In a bundle that package is a file
 * among others, and what is outside of the file called it; where everything is one file, the outermost caller did.
 */
export function callSiteIn(lines: readonly string[]): string {
  const places = lines.map((line) => placePattern.exec(line)?.[1] ?? "");
  const own = places[0] ?? "";
  const folder = /^.*[\\/](?=context[\\/]request-budget\.[jt]s$)/.exec(own)?.[0];
  const callers = lines.filter((_line, i) => places[i] !== "" && !runtimePattern.test(places[i] ?? ""));
  const caller =
    callers.find((line) => !line.includes(folder ?? own)) ??
    (folder === undefined ? callers.at(-1) : undefined);
  return caller?.trim().replace(/^at /, "") ?? "an unknown place";
}

/** The file in a line such as `at async work (file:///app/main.js:3:9)`. */
const placePattern = /(?:\(|at (?:async )?)([^()]+):\d+:\d+\)?$/;

/** Places inside of Node, Deno and Bun. */
const runtimePattern = /^(?:node:|ext:|native$)/;
