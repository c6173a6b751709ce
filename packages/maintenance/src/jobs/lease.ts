import type { Claim, JobRecord } from "./job-record.ts";

/** A claim that is renewed in the background. If renewing fails, it counts as lost before others may take it over. */
export class Lease {
  readonly #record: JobRecord;
  readonly #timeoutMs: number;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #deadline: NodeJS.Timeout | undefined;
  #claim: Claim;
  #renewing: Promise<void> = Promise.resolve();
  /** Aborted when the claim is lost, or when the owner's signal is aborted. */
  readonly signal: AbortSignal;

  /** @param sentAt - when the request was sent that acquired the claim */
  constructor(record: JobRecord, claim: Claim, timeoutMs: number, sentAt: number, signal: AbortSignal) {
    this.#record = record;
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

  /** Deletes the claim: its rows are done. */
  async release(): Promise<void> {
    await this.#stop();
    if (!this.isLost) await this.#record.release(this.#claim);
  }

  /** Leaves the claim to other workers: its rows are not done. */
  async abandon(): Promise<void> {
    await this.#stop();
    if (!this.isLost) await this.#record.abandon(this.#claim);
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#deadline);
    await this.#renewing;
  }

  #beat(): void {
    this.#renewing = this.#renewing.then(async () => {
      const sentAt = performance.now();
      const renewed = await this.#record.renew(this.#claim).catch(() => this.#claim);
      if (renewed === undefined) this.#lost.abort();
      else if (renewed !== this.#claim) {
        this.#claim = renewed;
        this.#holdFrom(sentAt);
      }
    });
  }

  /**
   * The claim is held for three quarters of the time after which others may take it over, counted from the start of the
   * last successful request.
   */
  #holdFrom(sentAt: number): void {
    clearTimeout(this.#deadline);
    const left = 0.75 * this.#timeoutMs - (performance.now() - sentAt);
    this.#deadline = setTimeout(() => this.#lost.abort(), Math.max(0, left));
    this.#deadline.unref();
  }
}
