import assert from "node:assert/strict";
import type { QueueStorage } from "@partita/queues";
import { type QueueCase, receiveOne, refusesWith, second } from "./queue-case.ts";

const receipt = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", receipt: "none" };

/** Every request to a queue that needs no message. */
const requests: readonly ((queues: QueueStorage, queue: string) => Promise<unknown>)[] = [
  (queues, queue) => queues.put(queue, "text"),
  (queues, queue) => queues.receive(queue, { visibilityMs: second }),
  (queues, queue) => queues.peek(queue),
  (queues, queue) => queues.clear(queue),
  (queues, queue) => queues.approximateCount(queue),
  (queues, queue) => queues.deleteQueue(queue),
];

/** Queues: names, creation, deletion. */
export const queueNameCases: readonly QueueCase[] = [
  {
    name: "lists a queue it created, in order of names",
    check: async (queues, queue) => {
      const names = await queues.listQueues();

      assert.ok(names.includes(queue));
      assert.deepEqual(names, names.toSorted());
    },
  },
  {
    name: "creates a queue that exists without touching its messages",
    check: async (queues, queue) => {
      await queues.put(queue, "kept");
      await queues.createQueue(queue);

      assert.equal((await receiveOne(queues, queue)).text, "kept");
    },
  },
  {
    name: "deletes a queue with its messages",
    check: async (queues, queue) => {
      await queues.put(queue, "visible");
      await queues.put(queue, "invisible", { visibleAfterMs: 60 * second });
      await queues.deleteQueue(queue);

      assert.ok(!(await queues.listQueues()).includes(queue));
      for (const request of requests) await refusesWith(request(queues, queue), "storage.queue-not-found");
    },
  },
  {
    name: "refuses every request to a queue that was never created, with any receipt",
    check: async (queues, queue) => {
      for (const request of [...requests, update, remove])
        await refusesWith(request(queues, `${queue}-not`), "storage.queue-not-found");
    },
  },
  {
    name: "distinguishes queues with the same name prefix",
    check: async (queues, queue) => {
      await queues.createQueue(`${queue}-0`);
      await queues.put(`${queue}-0`, "other");

      assert.equal(await queues.approximateCount(queue), 0);
      assert.deepEqual(await queues.receive(queue, { visibilityMs: second }), []);
      await queues.deleteQueue(queue);
      assert.equal((await receiveOne(queues, `${queue}-0`)).text, "other");
      await queues.deleteQueue(`${queue}-0`);
    },
  },
  {
    name: "accepts names of 3 to 63 characters, and refuses invalid names before anything is sent",
    check: async (queues, queue) => {
      const longest = `${queue}-${"x".repeat(62 - queue.length)}`;
      await queues.createQueue(longest);
      await queues.deleteQueue(longest);

      for (const name of ["ab", "x".repeat(64), "Upper", "two--hyphens", "-first", "last-", "a b", "a/b", ""])
        for (const request of [...requests, update, remove, create])
          await refusesWith(request(queues, name), "queue.name");
    },
  },
];

const update = (queues: QueueStorage, queue: string): Promise<unknown> =>
  queues.update(queue, receipt, { visibilityMs: 0 });
const remove = (queues: QueueStorage, queue: string): Promise<unknown> => queues.remove(queue, receipt);
const create = (queues: QueueStorage, queue: string): Promise<unknown> => queues.createQueue(queue);
