import type { Claim, UpgradeJob } from "./upgrade-job.ts";

/** A claim that is renewed in the background, and given up before anybody else may take it. */
export class Lease {
  readonly #job: UpgradeJob;
  readonly #timeoutMs: number;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #deadline: NodeJS.Timeout | undefined;
  #claim: Claim;
  #renewing: Promise<void> = Promise.resolve();
  /** Aborted when the claim is lost, or its owner's signal is. */
  readonly signal: AbortSignal;

  /** @param sentAt - when the request was sent that made the claim ours */
  constructor(job: UpgradeJob, claim: Claim, timeoutMs: number, sentAt: number, signal: AbortSignal) {
    this.#job = job;
    this.#claim = claim;
    this.#timeoutMs = timeoutMs;
    this.signal = AbortSignal.any([signal, this.#lost.signal]);
    this.#timer = setInterval(() => this.#beat(), timeoutMs / 3);
    this.#timer.unref();
    this.#holdFrom(sentAt);
  }

  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Gives the claim back: its rows are done. */
  async release(): Promise<void> {
    await this.#stop();
    if (!this.isLost) await this.#job.release(this.#claim);
  }

  /** Leaves the claim to others: its rows are not done. */
  async abandon(): Promise<void> {
    await this.#stop();
    if (!this.isLost) await this.#job.abandon(this.#claim);
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#deadline);
    await this.#renewing;
  }

  #beat(): void {
    this.#renewing = this.#renewing.then(async () => {
      const sentAt = performance.now();
      const renewed = await this.#job.renew(this.#claim).catch(() => this.#claim);
      if (renewed === undefined) this.#lost.abort();
      else if (renewed !== this.#claim) {
        this.#claim = renewed;
        this.#holdFrom(sentAt);
      }
    });
  }

  /** Three quarters of the time after which others may take over, counted from when the last good word was sent. */
  #holdFrom(sentAt: number): void {
    clearTimeout(this.#deadline);
    const left = 0.75 * this.#timeoutMs - (performance.now() - sentAt);
    this.#deadline = setTimeout(() => this.#lost.abort(), Math.max(0, left));
    this.#deadline.unref();
  }
}
