import { strict as assert } from "node:assert";
import { fc } from "@fast-check/vitest";
import { StorageError } from "@partita/core";
import {
  isMessageLost,
  type MessageReceipt,
  type PeekedMessage,
  type QueueStorage,
  type ReceivedMessage,
} from "../../src/index.ts";
import { KnownMessage } from "./known-message.ts";

/** One request of one of the programs that use a queue, or time that passes. Times are in seconds. */
export type Step =
  | { readonly type: "put"; readonly by: number; readonly after: number; readonly lives: number | "never" }
  | { readonly type: "receive"; readonly by: number; readonly max: number; readonly visible: number }
  | { readonly type: "peek"; readonly by: number; readonly max: number }
  | {
      readonly type: "update";
      readonly by: number;
      readonly of: number;
      readonly visible: number;
      readonly isNewText: boolean;
    }
  | { readonly type: "remove"; readonly by: number; readonly of: number }
  | { readonly type: "count" | "clear"; readonly by: number }
  | { readonly type: "pass"; readonly seconds: number };

/** How long steps take at the most, where time is waited for. */
export interface HistoryTimes {
  readonly visible: fc.Arbitrary<number>;
  readonly pass: fc.Arbitrary<number>;
}

/** Histories of programs that share a queue; `of` chooses among all receipts so far, latest first. */
export function histories({ visible, pass }: HistoryTimes, maxLength = 40): fc.Arbitrary<readonly Step[]> {
  const by = fc.nat(1);
  const of = fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(50) });
  const max = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 32 }));
  const lives = fc.oneof(
    { weight: 5, arbitrary: fc.constant("never" as const) },
    { weight: 1, arbitrary: fc.integer({ min: 6, max: 20 }) },
  );
  const after = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }));
  const one = <Type extends Step["type"], Rest extends object>(
    weight: number,
    type: Type,
    rest: { [Name in keyof Rest]: fc.Arbitrary<Rest[Name]> },
  ) => ({ weight, arbitrary: fc.record({ type: fc.constant(type), ...rest }) });
  const step = fc.oneof(
    one(6, "put", { by, after, lives }),
    one(8, "receive", { by, max, visible }),
    one(1, "peek", { by, max }),
    one(4, "update", { by, of, visible: fc.oneof(fc.constant(0), visible), isNewText: fc.boolean() }),
    one(5, "remove", { by, of }),
    one(1, "count", { by }),
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("count" as const, "clear" as const), by }) },
    one(4, "pass", { seconds: pass }),
  );
  return fc.array(step as fc.Arbitrary<Step>, { minLength: 1, maxLength, size: "max" });
}

/** Programs that share a queue, and their time. */
export interface QueueWorld {
  readonly programs: readonly QueueStorage[];
  readonly queue: string;
  now(): number;
  pass(ms: number): Promise<void>;
  /** How far the store's time may be from ours. */
  readonly slackMs: number;
  /** Requests that failed as planned, so far. */
  faults(): number;
  /** How long the end of a history is waited for: until all that is short is over. */
  readonly longestMs: number;
  /** Lets nothing fail any more. */
  stopFaults(): Promise<void>;
}

interface SeenReceipt extends MessageReceipt {
  readonly message: KnownMessage;
}

const second = 1000;

/** Runs a history, and checks each answer against what is known; in the end, nothing is lost. */
export class QueueHistory {
  readonly #world: QueueWorld;
  readonly #messages = new Map<string, KnownMessage>();
  /** Of puts whose answer was lost, by text. */
  readonly #maybePut = new Map<string, KnownMessage>();
  readonly #receipts: SeenReceipt[] = [];
  #puts = 0;

  constructor(world: QueueWorld) {
    this.#world = world;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#do(step);
    await this.#world.stopFaults();
    // What expires meanwhile is allowed to.
    await this.#world.pass(this.#world.longestMs);
    while ((await this.#receive(0, 32, 30)) > 0);
    const left = [...this.#messages.values()].filter((message) => this.#isSurelyVisible(message));
    assert.deepEqual(left, [], "messages are lost");
    await this.#count(0);
  }

  async #do(step: Step): Promise<unknown> {
    switch (step.type) {
      case "put":
        return this.#put(step.by, step.after * second, step.lives);
      case "receive":
        return this.#receive(step.by, step.max, step.visible);
      case "peek":
        return this.#peek(step.by, step.max);
      case "update":
        return this.#update(step.by, step.of, step.visible * second, step.isNewText);
      case "remove":
        return this.#remove(step.by, step.of);
      case "count":
        return this.#count(step.by);
      case "clear":
        return this.#clear(step.by);
      case "pass":
        return this.#world.pass(step.seconds * second);
      default:
        return step satisfies never;
    }
  }

  async #put(by: number, visibleAfterMs: number, lives: number | "never"): Promise<void> {
    const { queue } = this.#world;
    const text = `text ${++this.#puts}`;
    const timeToLiveMs = lives === "never" ? lives : lives * second;
    const at = this.#world.now();
    const expiresAt = timeToLiveMs === "never" ? Number.POSITIVE_INFINITY : at + timeToLiveMs;
    const visibleAt = at + visibleAfterMs;
    const sent = await mayFail(this.#program(by).put(queue, text, { visibleAfterMs, timeToLiveMs }));
    if (sent.is === "done") {
      const message = new KnownMessage(text, visibleAt, expiresAt, sent.result.receipt);
      assert.ok(!this.#messages.has(sent.result.id), "an id was given twice");
      this.#messages.set(sent.result.id, message);
      this.#receipts.push({ ...sent.result, message });
    } else if (sent.is === "unknown") {
      const message = new KnownMessage(text, visibleAt, expiresAt, undefined);
      message.maybeRemoved();
      this.#maybePut.set(text, message);
    }
  }

  /** @returns how many were received */
  async #receive(by: number, max: number, visible: number): Promise<number> {
    const { queue } = this.#world;
    const faults = this.#world.faults();
    const visibilityMs = visible * second;
    const expected = this.#surelyVisible();
    const received = await mayFail(this.#program(by).receive(queue, { max, visibilityMs }));
    const visibleAt = this.#world.now() + visibilityMs;
    if (received.is === "unknown")
      for (const message of this.#all()) if (this.#isMaybeVisible(message)) message.maybeTaken(visibleAt);
    if (received.is !== "done") return 0;
    const found = received.result;
    assert.ok(found.length <= max, "more messages than asked for");
    if (this.#world.faults() === faults)
      assert.ok(found.length >= Math.min(max, expected), `${found.length} of ${expected} visible messages`);
    for (const message of found) this.#takeOver(message, visibleAt);
    // What a lost claim of another shard took beside those that were returned.
    if (this.#world.faults() !== faults)
      for (const message of this.#all()) if (this.#isMaybeVisible(message)) message.maybeTaken(visibleAt);
    return found.length;
  }

  #takeOver(received: ReceivedMessage, visibleAt: number): void {
    const message = this.#checkShown(received, 1);
    // A service may give two messages the same one.
    const isNew = this.#receipts.every(
      (seen) => seen.message !== message || seen.receipt !== received.receipt,
    );
    assert.ok(isNew, "a receipt was given twice");
    message.taken(received, visibleAt, received.receipt);
    this.#receipts.push({ id: received.id, receipt: received.receipt, message });
  }

  async #peek(by: number, max: number): Promise<void> {
    const expected = this.#surelyVisible();
    const peeked = await mayFail(this.#program(by).peek(this.#world.queue, { max }));
    if (peeked.is !== "done") return;
    assert.ok(peeked.result.length <= max && peeked.result.length >= Math.min(max, expected));
    for (const message of peeked.result) this.#checkShown(message, 0);
  }

  /** The known message that is shown; it must be one that can be visible now, as it was left. */
  #checkShown({ id, text, deliveries }: PeekedMessage, more: number): KnownMessage {
    const message = this.#messages.get(id) ?? this.#maybePut.get(text);
    assert.ok(message !== undefined, "nobody put this message");
    this.#messages.set(id, message);
    this.#maybePut.delete(text);
    assert.notEqual(message.stored, "no", "a removed message came back");
    assert.ok(this.#isMaybeVisible(message), "two hold a message, or it came too early or too late");
    assert.ok(message.texts.has(text), "a text is another one");
    const { least, most } = message.deliveries;
    assert.ok(deliveries >= least + more && deliveries <= most + more, `${deliveries} deliveries`);
    return message;
  }

  async #update(by: number, of: number, visibilityMs: number, isNewText: boolean): Promise<void> {
    const seen = this.#receipts.at(-1 - of);
    if (seen === undefined) return;
    const { message } = seen;
    const text = isNewText ? `text ${++this.#puts}` : undefined;
    const options = { visibilityMs, ...(text !== undefined && { text }) };
    const updated = await mayFail(this.#program(by).update(this.#world.queue, seen, options));
    const visibleAt = this.#world.now() + visibilityMs;
    if (updated.is === "lost") this.#checkLost(seen, updated.code);
    else if (updated.is === "unknown") {
      if (message.validityOf(seen.receipt) !== "superseded") message.maybeUpdated(text, visibleAt);
    } else if (updated.is === "done") {
      this.#checkHolds(seen);
      message.updated(text, visibleAt, updated.result.receipt);
      this.#receipts.push({ ...updated.result, message });
    }
  }

  async #remove(by: number, of: number): Promise<void> {
    const seen = this.#receipts.at(-1 - of);
    if (seen === undefined) return;
    const { message } = seen;
    const removed = await mayFail(this.#program(by).remove(this.#world.queue, seen));
    if (removed.is === "lost") this.#checkLost(seen, removed.code);
    else if (removed.is === "unknown") {
      if (message.validityOf(seen.receipt) !== "superseded") message.maybeRemoved();
    } else if (removed.is === "done") {
      this.#checkHolds(seen);
      message.removed();
    }
  }

  #checkHolds({ message, receipt }: SeenReceipt): void {
    assert.notEqual(message.validityOf(receipt), "superseded", "a superseded receipt was accepted");
    assert.notEqual(message.stored, "no", "a removed message was there");
  }

  #checkLost({ message, receipt }: SeenReceipt, code: string): void {
    if (this.#isMaybeExpired(message)) return;
    const validity = message.validityOf(receipt);
    assert.ok(!(validity === "valid" && message.stored === "yes"), "a valid receipt was refused");
    if (message.stored === "no") assert.equal(code, "storage.message-not-found");
    if (message.stored === "yes") assert.equal(code, "storage.pop-receipt-mismatch");
  }

  async #count(by: number): Promise<void> {
    const counted = await mayFail(this.#program(by).approximateCount(this.#world.queue));
    if (counted.is !== "done") return;
    const all = [...this.#all()];
    const least = all.filter((one) => one.stored === "yes" && !this.#isMaybeExpired(one)).length;
    const most = all.filter((one) => one.stored !== "no" && !this.#isSurelyExpired(one)).length;
    assert.ok(counted.result >= least && counted.result <= most, `${counted.result}: ${least} to ${most}`);
  }

  async #clear(by: number): Promise<void> {
    const cleared = await mayFail(this.#program(by).clear(this.#world.queue));
    if (cleared.is === "done") for (const message of this.#messages.values()) message.removed();
    else for (const message of this.#messages.values()) message.maybeRemoved();
  }

  #program(by: number): QueueStorage {
    return this.#world.programs[by % this.#world.programs.length] as QueueStorage;
  }

  *#all(): Iterable<KnownMessage> {
    yield* this.#messages.values();
    yield* this.#maybePut.values();
  }

  #surelyVisible(): number {
    return [...this.#messages.values()].filter((message) => this.#isSurelyVisible(message)).length;
  }

  #isSurelyVisible(message: KnownMessage): boolean {
    const isVisible = this.#world.now() >= message.visibleAt.most + this.#world.slackMs;
    return message.stored === "yes" && isVisible && !this.#isMaybeExpired(message);
  }

  #isMaybeVisible(message: KnownMessage): boolean {
    const isVisible = this.#world.now() >= message.visibleAt.least - this.#world.slackMs;
    return message.stored !== "no" && isVisible && !this.#isSurelyExpired(message);
  }

  #isMaybeExpired = ({ expiresAt }: KnownMessage): boolean =>
    this.#world.now() >= expiresAt - this.#world.slackMs;

  #isSurelyExpired = ({ expiresAt }: KnownMessage): boolean =>
    this.#world.now() >= expiresAt + this.#world.slackMs;
}

type Outcome<Result> =
  | { readonly is: "done"; readonly result: Result }
  | { readonly is: "lost"; readonly code: string }
  | { readonly is: "failed" | "unknown" };

/** What became of a request, as its error reports it. */
async function mayFail<Result>(request: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { is: "done", result: await request };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (isMessageLost(error)) return { is: "lost", code: error.code };
    return { is: error.applied === "no" ? "failed" : "unknown" };
  }
}
