import assert from "node:assert/strict";
import type { MessageReceipt, QueueStorage } from "@partita/queues";
import { type QueueCase, receiveOne, refusesWith, second, showsNothing } from "./queue-case.ts";

/** Passes if a receipt can neither delete nor change a message. */
async function isLost(
  queues: QueueStorage,
  queue: string,
  message: MessageReceipt,
  code: string,
): Promise<void> {
  await refusesWith(queues.remove(queue, message), code);
  await refusesWith(queues.update(queue, message, { visibilityMs: 0 }), code);
  await refusesWith(queues.update(queue, message, { visibilityMs: second, text: "changed" }), code);
}

const superseded = "storage.pop-receipt-mismatch";
const gone = "storage.message-not-found";

/** Receipts: what only their holder may do. */
export const receiptCases: readonly QueueCase[] = [
  {
    name: "removes a held message once",
    check: async (queues, queue) => {
      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue);
      await queues.remove(queue, held);

      assert.equal(await queues.approximateCount(queue), 0);
      await isLost(queues, queue, held, gone);
    },
  },
  {
    name: "refuses the receipt that another receive has superseded",
    check: async (queues, queue, pass) => {
      await queues.put(queue, "text");
      const first = await receiveOne(queues, queue, second);
      await pass(second);
      const next = await receiveOne(queues, queue);

      await isLost(queues, queue, first, superseded);
      await queues.remove(queue, next);
      await isLost(queues, queue, first, gone);
    },
  },
  {
    name: "accepts an expired receipt until another receive of the message",
    check: async (queues, queue, pass) => {
      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue, second);
      await pass(second);
      await queues.remove(queue, held);

      await showsNothing(queues, queue);
    },
  },
  {
    name: "renews a held message under a new receipt, without counting a delivery",
    check: async (queues, queue, pass) => {
      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue, second);
      const renewed = await queues.update(queue, held, { visibilityMs: 30 * second });
      assert.equal(renewed.id, held.id);
      await isLost(queues, queue, held, superseded);

      await pass(second);
      await showsNothing(queues, queue);
      const released = await queues.update(queue, renewed, { visibilityMs: 0 });
      assert.ok(Number(released.visibleAt) < Number(renewed.visibleAt));
      const again = await receiveOne(queues, queue);
      assert.deepEqual([again.id, again.deliveries, again.text], [held.id, 2, "text"]);
    },
  },
  {
    name: "gives a held message another text, up to the largest",
    check: async (queues, queue) => {
      await queues.put(queue, "before", { timeToLiveMs: 60 * second });
      const held = await receiveOne(queues, queue);
      const text = "y".repeat(queues.maxTextBytes);
      const updated = await queues.update(queue, held, { visibilityMs: 0, text });
      const again = await receiveOne(queues, queue);

      assert.equal(again.text, text);
      assert.deepEqual([again.insertedAt, again.expiresAt], [held.insertedAt, held.expiresAt]);
      await isLost(queues, queue, updated, superseded);
      assert.equal((await queues.update(queue, again, { visibilityMs: 0 })).id, held.id);
      assert.equal((await receiveOne(queues, queue)).text, text);
    },
  },
  {
    name: "lets the sender change and delete a message until it is received",
    check: async (queues, queue) => {
      const removed = await queues.put(queue, "removed");
      await queues.remove(queue, removed);
      await isLost(queues, queue, removed, gone);

      const sent = await queues.put(queue, "hidden", { visibleAfterMs: 60 * second });
      const shown = await queues.update(queue, sent, { visibilityMs: 0 });
      assert.equal((await receiveOne(queues, queue)).text, "hidden");
      await isLost(queues, queue, sent, superseded);
      await isLost(queues, queue, shown, superseded);
    },
  },
  {
    name: "refuses the receipts of messages that were cleared",
    check: async (queues, queue) => {
      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue);
      await queues.clear(queue);

      await isLost(queues, queue, held, gone);
    },
  },
];
