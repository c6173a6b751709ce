import assert from "node:assert/strict";
import { type QueueCase, receiveOne, second, showsNothing } from "./queue-case.ts";

const day = 24 * 60 * 60 * second;

/** The life of messages: they can be received for a time, and are counted. */
export const messageCases: readonly QueueCase[] = [
  {
    name: "receives every text unchanged",
    check: async (queues, queue) => {
      const texts = [
        "plain",
        " spaces \t and\r\nlines\n",
        '<a b="&amp;">]]>',
        "naïve \u{1f600} e\u0301 \ufeff",
        "eyJhIjoxfQ==",
        '{"a":[1,null]}',
      ];
      for (const text of texts) await queues.put(queue, text);

      const peeked = await queues.peek(queue, { max: 32 });
      const received = await queues.receive(queue, { max: 32, visibilityMs: 30 * second });
      for (const found of [peeked, received])
        assert.deepEqual(found.map(({ text }) => text).toSorted(), texts.toSorted());
    },
  },
  {
    name: "receives the largest text, and the maximum of 32 messages",
    check: async (queues, queue) => {
      // Azurite decodes each chunk of a request separately, which may split a character of two bytes. So all of these
      // are in the first chunk.
      const text = "é".repeat(64) + "x".repeat(queues.maxTextBytes - 128);
      await Promise.all(Array.from({ length: 32 }, () => queues.put(queue, text)));

      const received = await queues.receive(queue, { max: 32, visibilityMs: 30 * second });

      assert.equal(received.length, 32);
      assert.ok(received.every((message) => message.text === text));
    },
  },
  {
    name: "gives a message an ID, and returns its times of insertion, visibility and expiry",
    check: async (queues, queue) => {
      const sent = await queues.put(queue, "text", { timeToLiveMs: 60 * second });
      const received = await receiveOne(queues, queue);

      assert.equal(received.id, sent.id);
      assert.notEqual(received.receipt, sent.receipt);
      assert.deepEqual(received.insertedAt, sent.insertedAt);
      assert.deepEqual(received.expiresAt, sent.expiresAt);
      assert.equal(Number(sent.expiresAt) - Number(sent.insertedAt), 60 * second);
      assert.ok(Math.abs(Number(sent.visibleAt) - Number(sent.insertedAt)) <= second);
      assert.ok(Math.abs(Number(received.visibleAt) - Number(sent.insertedAt) - 30 * second) <= 10 * second);
    },
  },
  {
    name: "lets messages expire after 7 days, unless they never do",
    check: async (queues, queue) => {
      const usual = await queues.put(queue, "usual");
      const staying = await queues.put(queue, "staying", { timeToLiveMs: "never" });

      assert.equal(Number(usual.expiresAt) - Number(usual.insertedAt), 7 * day);
      assert.equal(staying.expiresAt, undefined);
      const received = await queues.receive(queue, { max: 32, visibilityMs: second });
      assert.equal(received.find(({ text }) => text === "staying")?.expiresAt, undefined);
    },
  },
  {
    name: "hides a received message until its time is over, and counts each receive",
    check: async (queues, queue, pass) => {
      const { id } = await queues.put(queue, "text");
      const first = await receiveOne(queues, queue, second);
      assert.deepEqual([first.id, first.deliveries], [id, 1]);
      await showsNothing(queues, queue);

      await pass(second);
      const again = await receiveOne(queues, queue);
      assert.deepEqual([again.id, again.deliveries, again.text], [id, 2, "text"]);
      assert.notEqual(again.receipt, first.receipt);
    },
  },
  {
    name: "receives one message by default, and never more than requested",
    check: async (queues, queue) => {
      for (let i = 0; i < 5; i++) await queues.put(queue, `${i}`);

      const one = await queues.receive(queue, { visibilityMs: 30 * second });
      const three = await queues.receive(queue, { max: 3, visibilityMs: 30 * second });
      const rest = await queues.receive(queue, { max: 32, visibilityMs: 30 * second });

      assert.deepEqual([one.length, three.length, rest.length], [1, 3, 1]);
      const texts = [...one, ...three, ...rest].map(({ text }) => text);
      assert.deepEqual(texts.toSorted(), ["0", "1", "2", "3", "4"]);
    },
  },
  {
    name: "peeks at messages without receiving them, and shows their receive counts",
    check: async (queues, queue) => {
      const { id, insertedAt } = await queues.put(queue, "text");
      for (let i = 0; i < 2; i++) {
        const [peeked] = await queues.peek(queue);
        assert.deepEqual([peeked?.id, peeked?.text, peeked?.deliveries], [id, "text", 0]);
        assert.deepEqual(peeked?.insertedAt, insertedAt);
      }

      await queues.update(queue, await receiveOne(queues, queue), { visibilityMs: 0 });
      const [peeked] = await queues.peek(queue, { max: 32 });
      assert.equal(peeked?.deliveries, 1);
    },
  },
  {
    name: "hides a delayed message until its time",
    check: async (queues, queue, pass) => {
      const { insertedAt, visibleAt } = await queues.put(queue, "later", { visibleAfterMs: second });
      assert.equal(Number(visibleAt) - Number(insertedAt), second);
      await showsNothing(queues, queue);

      await pass(second);
      assert.equal((await receiveOne(queues, queue)).deliveries, 1);
    },
  },
  {
    name: "shows no message that has expired",
    check: async (queues, queue, pass) => {
      await queues.put(queue, "short-lived", { timeToLiveMs: second });
      await queues.put(queue, "long-lived");
      await pass(second);

      assert.equal((await receiveOne(queues, queue)).text, "long-lived");
      assert.equal(await queues.approximateCount(queue), 1);
    },
  },
  {
    name: "counts messages, including held and invisible ones",
    check: async (queues, queue) => {
      assert.equal(await queues.approximateCount(queue), 0);
      for (let i = 0; i < 3; i++) await queues.put(queue, "visible");
      await queues.put(queue, "later", { visibleAfterMs: 60 * second });
      await queues.receive(queue, { visibilityMs: 30 * second });

      assert.equal(await queues.approximateCount(queue), 4);
    },
  },
  {
    name: "clears a queue of all messages, including held and invisible ones",
    check: async (queues, queue) => {
      for (let i = 0; i < 3; i++) await queues.put(queue, "visible");
      await queues.put(queue, "later", { visibleAfterMs: 60 * second });
      await queues.receive(queue, { visibilityMs: 30 * second });
      await queues.clear(queue);

      assert.equal(await queues.approximateCount(queue), 0);
      await showsNothing(queues, queue);
      await queues.put(queue, "new");
      assert.equal((await receiveOne(queues, queue)).text, "new");
    },
  },
  {
    name: "gives each of 16 receivers different messages",
    check: async (queues, queue) => {
      await Promise.all(Array.from({ length: 48 }, (_, i) => queues.put(queue, `${i}`)));
      const takers = Array.from({ length: 16 }, async () => {
        const taken: string[] = [];
        for (;;) {
          const found = await queues.receive(queue, { max: 2, visibilityMs: 60 * second });
          if (found.length === 0) return taken;
          assert.ok(found.every(({ deliveries }) => deliveries === 1));
          taken.push(...found.map(({ id }) => id));
        }
      });
      const ids = (await Promise.all(takers)).flat();
      // Concurrent receives may miss some messages; sequential ones return them.
      for (let last = await queues.receive(queue, take); last.length > 0;) {
        ids.push(...last.map(({ id }) => id));
        last = await queues.receive(queue, take);
      }

      assert.equal(ids.length, 48);
      assert.equal(new Set(ids).size, 48);
    },
  },
];

const take = { max: 32, visibilityMs: 60 * second };
