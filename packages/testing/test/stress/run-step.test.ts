import { eventClock } from "@partita/test-support/event-clock";
import { expect, test } from "vitest";
import { dueTimes, type OfferedStep, runStep } from "../../src/stress/run/run-step.ts";

const stepOf = (clock: OfferedStep["clock"], more: Partial<OfferedStep>): OfferedStep => ({
  callsPerSecond: 10,
  seconds: 1,
  graceMs: 50,
  signal: undefined,
  nextLoad: () => 0,
  clock,
  begin: (record, sinceBegin) => {
    record.begunMs = sinceBegin();
  },
  ...more,
});

test("calls are due at an even distance, one at least", () => {
  expect([...dueTimes(4, 1)]).toEqual([125, 375, 625, 875]);
  expect([...dueTimes(0.01, 1)]).toEqual([500]);
});

test("each call begins when it is due, though none before it has ended", async () => {
  const clock = eventClock();
  const records = await runStep(stepOf(clock, {}));

  expect(records.map(({ begunMs }) => begunMs)).toEqual(records.map(({ dueMs }) => dueMs));
  expect(records).toHaveLength(10);
  expect(clock.now()).toBe(1050);
});

test("after a pause of the machine, calls that were due meanwhile begin at once, and are known to be late", async () => {
  const inner = eventClock();
  let pauseMs = 0;
  const clock = { now: () => inner.now() + pauseMs, wait: inner.wait.bind(inner) };
  const records = await runStep(
    stepOf(clock, {
      begin(record, sinceBegin) {
        record.begunMs = sinceBegin();
        if (record.dueMs === 150) pauseMs = 300;
      },
    }),
  );

  expect(records.map(({ dueMs }) => dueMs)).toEqual([50, 150, 250, 350, 450, 550, 650, 750, 850, 950]);
  expect(records.map(({ begunMs }) => begunMs)).toEqual([50, 150, 450, 450, 450, 550, 650, 750, 850, 950]);
});

test("more calls than milliseconds all begin, a timer or two late", async () => {
  const records = await runStep(stepOf(eventClock(), { callsPerSecond: 5000, seconds: 0.2 }));

  expect(records).toHaveLength(1000);
  expect(Math.max(...records.map(({ begunMs = NaN, dueMs }) => begunMs - dueMs))).toBeLessThan(2);
});

test("an abort ends a step with its reason", async () => {
  const stop = new AbortController();
  const step = stepOf(eventClock(), {
    signal: stop.signal,
    begin: ({ dueMs }) => {
      if (dueMs > 400) stop.abort(new Error("enough"));
    },
  });

  await expect(runStep(step)).rejects.toThrow("enough");
});
