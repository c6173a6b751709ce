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

/** Where this package's own code is, as stack traces write it: as a URL, or as a path. */
const own = new URL("..", import.meta.url);
const ownFolders = [own.href, decodeURIComponent(own.pathname)];

/** The first caller outside this package. */
function callSite(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const lines = (new Error("call site").stack ?? "").split("\n").slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const outside = lines.find(
    (line) =>
      !ownFolders.some((folder) => line.includes(folder)) &&
      /:\d+:\d+\)?$/.test(line) &&
      !line.includes("node:"),
  );
  return outside?.trim().replace(/^at /, "") ?? "an unknown place";
}
