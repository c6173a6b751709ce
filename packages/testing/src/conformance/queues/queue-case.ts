import assert from "node:assert/strict";
import { OptionError, StorageError } from "@partita/core";
import type { QueueStorage, ReceivedMessage } from "@partita/queues";

/** A guarantee of every queue store: a sentence, and a check that rejects if it does not hold. */
export interface QueueCase {
  readonly name: string;
  /**
   * @param queue - an empty queue for this case only
   * @param pass - lets this many milliseconds pass
   */
  readonly check: (queues: QueueStorage, queue: string, pass: (ms: number) => Promise<void>) => Promise<void>;
}

/** The shortest visibility timeout, in milliseconds. */
export const second = 1000;

/** Passes if the promise rejects with this code and nothing was applied. */
export async function refusesWith(promise: Promise<unknown>, code: string): Promise<void> {
  const error = await promise.then(
    () => assert.fail(`expected ${code}, but the request succeeded`),
    (reason: unknown) => reason,
  );
  assert.ok(
    StorageError.is(error) || OptionError.is(error),
    `expected an error of a store, got ${String(error)}`,
  );
  assert.equal(error.code, code);
  if (StorageError.is(error)) assert.equal(error.applied, "no");
}

/** Receives the only visible message. */
export async function receiveOne(
  queues: QueueStorage,
  queue: string,
  visibilityMs: number = 30 * second,
): Promise<ReceivedMessage> {
  const [message, ...others] = await queues.receive(queue, { max: 32, visibilityMs });
  assert.ok(message !== undefined, "expected a visible message");
  assert.deepEqual(others, []);
  return message;
}

/** Passes if no message can be received or peeked at. */
export async function showsNothing(queues: QueueStorage, queue: string): Promise<void> {
  assert.deepEqual(await queues.receive(queue, { max: 32, visibilityMs: second }), []);
  assert.deepEqual(await queues.peek(queue, { max: 32 }), []);
}
