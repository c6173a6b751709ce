import assert from "node:assert/strict";
import type { MessageReceipt, PutOptions, ReceiveOptions, UpdateOptions } from "@partita/queues";
import { type QueueCase, receiveOne, refusesWith, second } from "./queue-case.ts";

const tooLong = 7 * 24 * 60 * 60 * second + 1;

/** Input that every store refuses before anything is sent, with the same codes. */
export const refusedMessageCases: readonly QueueCase[] = [
  {
    name: "refuses texts that are too large or not texts, and stores nothing",
    check: async (queues, queue) => {
      const refused: readonly (readonly [text: unknown, code: string])[] = [
        ["x".repeat(queues.maxTextBytes + 1), "queue.text-too-large"],
        ["é".repeat(Math.floor(queues.maxTextBytes / 2) + 1), "queue.text-too-large"],
        ["half \ud800", "queue.text-characters"],
        [undefined, "queue.text"],
        [{ a: 1 }, "queue.text"],
      ];
      for (const [text, code] of refused) await refusesWith(queues.put(queue, text as string), code);
      assert.equal(await queues.approximateCount(queue), 0);

      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue);
      for (const [text, code] of refused.slice(0, 3))
        await refusesWith(queues.update(queue, held, { visibilityMs: 0, text: text as string }), code);
      await queues.remove(queue, held);
    },
  },
  {
    name: "refuses times and numbers outside the service's ranges",
    check: async (queues, queue) => {
      const puts: readonly PutOptions[] = [
        { visibleAfterMs: -1 },
        { visibleAfterMs: tooLong, timeToLiveMs: "never" },
        { timeToLiveMs: 0 },
        { timeToLiveMs: 999 },
        { visibleAfterMs: 2 * second, timeToLiveMs: 2 * second },
      ];
      for (const options of puts) await refusesWith(queues.put(queue, "x", options), "queue.option");
      const receives: readonly ReceiveOptions[] = [
        { visibilityMs: 0 },
        { visibilityMs: 999 },
        { visibilityMs: tooLong },
        { visibilityMs: second, max: 0 },
        { visibilityMs: second, max: 33 },
        {} as ReceiveOptions,
      ];
      for (const options of receives) await refusesWith(queues.receive(queue, options), "queue.option");
      await refusesWith(queues.peek(queue, { max: 33 }), "queue.option");
      assert.equal(await queues.approximateCount(queue), 0);
    },
  },
  {
    name: "refuses an invalid receipt, and leaves the message to its holder",
    check: async (queues, queue) => {
      await queues.put(queue, "text");
      const held = await receiveOne(queues, queue);
      for (const message of [undefined, {}, { id: held.id }, { id: held.id, receipt: "" }]) {
        await refusesWith(queues.remove(queue, message as MessageReceipt), "queue.receipt");
        const update = queues.update(queue, message as MessageReceipt, { visibilityMs: 0 });
        await refusesWith(update, "queue.receipt");
      }
      for (const visibilityMs of [-1, tooLong, undefined])
        await refusesWith(queues.update(queue, held, { visibilityMs } as UpdateOptions), "queue.option");
      await queues.remove(queue, held);
    },
  },
  {
    name: "refuses requests that were cancelled before they started",
    check: async (queues, queue) => {
      const signal = AbortSignal.abort();
      await refusesWith(queues.put(queue, "text", { signal }), "storage.cancelled");
      await refusesWith(queues.receive(queue, { visibilityMs: second, signal }), "storage.cancelled");
      assert.equal(await queues.approximateCount(queue), 0);
    },
  },
];
