import { tracingChannel } from "node:diagnostics_channel";
import { defineEntity, text } from "@partita/core";
import { eventClock } from "@partita/test-support/event-clock";
import { defineStress, type StressDefinition } from "@partita/testing";

// The stress test that `stress-process.ts` runs, by a clock that stands still while a request is on its way.

export const clock: ReturnType<typeof eventClock> = eventClock(Date.now());

const releases = new WeakMap<object, () => void>();
const release = (request: object): void => releases.get(request)?.();
tracingChannel<unknown, object>("partita:request").subscribe({
  start: (request) => void releases.set(request, clock.hold()),
  end: () => undefined,
  asyncStart: () => undefined,
  asyncEnd: release,
  error: () => undefined,
});

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text() },
}) {}

const channel = "Football";

export const football: StressDefinition = defineStress(Blog, {
  partition: { channel },
  seconds: 40,
  rate: { from: 200, to: 1000, steps: 4 },
  setup(context) {
    for (let i = 0; i < 40; i++) context.create(Blog, { channel, id: `a${i}`, text: "stored" });
  },
  load: [
    { share: 0.8, run: (context) => context.query(Blog).where({ channel }).take(40).toArray() },
    { share: 0.2, run: (context, n) => void context.create(Blog, { channel, id: `b${n}`, text: "new" }) },
  ],
  clock,
});
