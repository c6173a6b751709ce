import type { PeekedMessage } from "../../src/index.ts";

/** What can be true after answers were lost: from the least to the most. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

const exactly = (value: number): Range => ({ least: value, most: value });
const orAlso = ({ least, most }: Range, value: number): Range => ({
  least: Math.min(least, value),
  most: Math.max(most, value),
});

/** Whether a receipt is valid, as far as its message is stored. */
export type Validity = "valid" | "unknown" | "superseded";

/** A message as its users know it: exactly, or, after lost answers, within ranges. */
export class KnownMessage {
  stored: "yes" | "maybe" | "no" = "yes";
  texts: ReadonlySet<string>;
  visibleAt: Range;
  deliveries: Range = exactly(0);
  readonly expiresAt: number;
  #valid: string | undefined;
  readonly #unknown = new Set<string>();

  constructor(text: string, visibleAt: number, expiresAt: number, receipt: string | undefined) {
    this.texts = new Set([text]);
    this.visibleAt = exactly(visibleAt);
    this.expiresAt = expiresAt;
    this.#valid = receipt;
  }

  validityOf(receipt: string): Validity {
    return receipt === this.#valid ? "valid" : this.#unknown.has(receipt) ? "unknown" : "superseded";
  }

  /** Somebody has it for certain, under a new receipt: what was on its way by an older one comes too late. */
  taken(
    { text, deliveries }: Pick<PeekedMessage, "text" | "deliveries">,
    visibleAt: number,
    receipt: string,
  ): void {
    this.texts = new Set([text]);
    this.deliveries = exactly(deliveries);
    this.#moved(visibleAt, receipt);
  }

  updated(text: string | undefined, visibleAt: number, receipt: string): void {
    if (text !== undefined) this.texts = new Set([text]);
    this.#moved(visibleAt, receipt);
  }

  maybeTaken(visibleAt: number): void {
    this.deliveries = { ...this.deliveries, most: this.deliveries.most + 1 };
    this.#maybeMoved(visibleAt);
  }

  maybeUpdated(text: string | undefined, visibleAt: number): void {
    if (text !== undefined) this.texts = new Set([...this.texts, text]);
    this.#maybeMoved(visibleAt);
  }

  removed(): void {
    this.stored = "no";
  }

  maybeRemoved(): void {
    if (this.stored === "yes") this.stored = "maybe";
    this.#forgetValidity();
  }

  #moved(visibleAt: number, receipt: string): void {
    this.stored = "yes";
    this.visibleAt = exactly(visibleAt);
    this.#valid = receipt;
    this.#unknown.clear();
  }

  #maybeMoved(visibleAt: number): void {
    this.visibleAt = orAlso(this.visibleAt, visibleAt);
    this.#forgetValidity();
  }

  #forgetValidity(): void {
    if (this.#valid !== undefined) this.#unknown.add(this.#valid);
    this.#valid = undefined;
  }
}
