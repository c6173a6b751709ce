import type { ProtocolResponse } from "../wire/protocol-request.ts";

/** How long the storage may take for a health check, in milliseconds. */
const maxCheckMs = 3_000;

/**
 * Whether a request asks for the server's health. No request of an account has this URL: even those of an account named
 * "health" need a query.
 */
export const isHealthRequest = (method: string | undefined, url: string | undefined): boolean =>
  url === "/health" && (method === "GET" || method === "HEAD");

/**
 * The health of a server, for load balancers, which have no key. Checks that overlap share one request to the storage.
 * A response contains nothing about the storage.
 */
export class Health {
  readonly #probe: (signal: AbortSignal) => Promise<unknown>;
  #isDraining = false;
  #running: Promise<boolean> | undefined;

  /** @param probe - a cheap read of the storage */
  constructor(probe: (signal: AbortSignal) => Promise<unknown>) {
    this.#probe = probe;
  }

  /** From now on, the server is not available. */
  drain(): void {
    this.#isDraining = true;
  }

  async response(): Promise<ProtocolResponse> {
    if (this.#isDraining) return healthResponse(503, "draining");
    this.#running ??= this.#check().finally(() => (this.#running = undefined));
    return (await this.#running) ? healthResponse(200, "ok") : healthResponse(503, "unavailable");
  }

  async #check(): Promise<boolean> {
    const signal = AbortSignal.timeout(maxCheckMs);
    const isLate = new Promise<false>((resolve) =>
      signal.addEventListener("abort", () => resolve(false), { once: true }),
    );
    const isAnswered = this.#probe(signal).then(
      () => true,
      () => false,
    );
    return Promise.race([isAnswered, isLate]);
  }
}

const healthResponse = (status: number, state: string): ProtocolResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ status: state }),
});
