import type { Claim, UpgradeJob } from "./upgrade-job.ts";

/** A claim that is renewed in the background, and given up before anybody else may take it. */
export class Lease {
  readonly #job: UpgradeJob;
  readonly #timeoutMs: number;
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #claim: Claim;
  #renewedAt = performance.now();
  #renewing: Promise<void> = Promise.resolve();
  isLost = false;
  readonly signal: AbortSignal;

  constructor(job: UpgradeJob, claim: Claim, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#job = job;
    this.#claim = claim;
    this.#timeoutMs = timeoutMs;
    this.signal =
      signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal]);
    this.#timer = setInterval(() => this.#beat(), timeoutMs / 3);
    this.#timer.unref();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (!this.isLost) await this.#job.release(this.#claim);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (performance.now() - this.#renewedAt > 0.75 * this.#timeoutMs) this.#lose();
    this.#renewing = this.#renewing.then(async () => {
      const sentAt = performance.now();
      const renewed = await this.#job.renew(this.#claim).catch(() => this.#claim);
      if (renewed === undefined) this.#lose();
      else if (renewed !== this.#claim) {
        this.#claim = renewed;
        this.#renewedAt = sentAt;
      }
    });
  }

  #lose(): void {
    this.isLost = true;
    this.#stopped.abort();
  }
}
