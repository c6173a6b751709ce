import { type QueueStorage, tableQueues } from "@partita/queues";
import { manualClock } from "@partita/testing";
import { type Chapter, codeOf, holds, notBuilt, type Place } from "../item.ts";

/** A queue in a table of its own. */
async function queueOf({ storage, name }: Place, clock = manualClock(Date.now())): Promise<QueueStorage> {
  const queues = tableQueues(storage, { table: `${name}Queues`, clock });
  await queues.createQueue("notes");
  return queues;
}

export const messages: Chapter = {
  title: "Queues",
  items: [
    holds("A message reappears after its visibility timeout", [0, "Hello"], async (place) => {
      const clock = manualClock(Date.now());
      const queues = await queueOf(place, clock);
      await queues.put("notes", "Hello");
      await queues.receive("notes", { visibilityMs: 30_000 });
      const before = await queues.receive("notes", { visibilityMs: 30_000 });
      clock.advance(31_000);
      return [before.length, (await queues.receive("notes", { visibilityMs: 30_000 }))[0]?.text];
    }),
    holds("A message can become visible later", [0, 1], async (place) => {
      const clock = manualClock(Date.now());
      const queues = await queueOf(place, clock);
      await queues.put("notes", "Hello", { visibleAfterMs: 10_000 });
      const before = await queues.receive("notes", { visibilityMs: 30_000 });
      clock.advance(11_000);
      return [before.length, (await queues.receive("notes", { visibilityMs: 30_000 })).length];
    }),
    holds("A worker keeps a message longer by an update", 0, async (place) => {
      const clock = manualClock(Date.now());
      const queues = await queueOf(place, clock);
      await queues.put("notes", "Hello");
      const [message] = await queues.receive("notes", { visibilityMs: 30_000 });
      if (message !== undefined) await queues.update("notes", message, { visibilityMs: 90_000 });
      clock.advance(60_000);
      return (await queues.receive("notes", { visibilityMs: 30_000 })).length;
    }),
    holds("Progress is stored in the message", "step 2", async (place) => {
      const queues = await queueOf(place);
      await queues.put("notes", "step 1");
      const [message] = await queues.receive("notes", { visibilityMs: 30_000 });
      if (message !== undefined) await queues.update("notes", message, { visibilityMs: 0, text: "step 2" });
      return (await queues.receive("notes", { visibilityMs: 30_000 }))[0]?.text;
    }),
    holds("A superseded receipt deletes nothing", [true, 1], async (place) => {
      const clock = manualClock(Date.now());
      const queues = await queueOf(place, clock);
      await queues.put("notes", "Hello");
      const [old] = await queues.receive("notes", { visibilityMs: 30_000 });
      clock.advance(31_000);
      await queues.receive("notes", { visibilityMs: 30_000 });
      const code = old && (await codeOf(() => queues.remove("notes", old)));
      return [code !== "no error", await queues.approximateCount("notes")];
    }),
    holds("Up to 32 messages are received at once", 32, async (place) => {
      const queues = await queueOf(place);
      for (let n = 0; n < 40; n++) await queues.put("notes", `message ${n}`);
      let received = 0;
      for (let i = 0; i < 20 && received < 32; i++)
        received += (await queues.receive("notes", { max: 32 - received, visibilityMs: 30_000 })).length;
      return received;
    }),
    holds("A message has at most 64 KiB", "queue.text-too-large", async (place) => {
      const queues = await queueOf(place);
      return codeOf(() => queues.put("notes", "x".repeat(70_000)));
    }),
    holds("peek reads without receiving", ["Hello", "Hello"], async (place) => {
      const queues = await queueOf(place);
      await queues.put("notes", "Hello");
      const [peeked] = await queues.peek("notes");
      return [peeked?.text, (await queues.receive("notes", { visibilityMs: 30_000 }))[0]?.text];
    }),
    notBuilt(
      "Messages are received in order",
      "Neither the service nor a queue in a table promises an order",
    ),
  ],
};
