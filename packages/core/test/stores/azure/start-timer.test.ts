import { expect, test, vi } from "vitest";
import { manualClock } from "@partita/testing";
import { startTimer } from "../../../src/stores/azure/http/start-timer.ts";
import { systemClock } from "../../../src/storage/clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("each request is ended when its own time is over, by the storage's clock", async () => {
  const clock = manualClock();
  const ended: string[] = [];
  const start = (name: string) => startTimer(clock, 100, () => void ended.push(name));
  start("first");
  clock.advance(30);
  const answered = start("answered");
  start("second");
  clock.advance(30);
  start("third");
  answered();

  const seen: string[][] = [];
  for (const ms of [39, 1, 29, 1, 29, 1]) {
    clock.advance(ms);
    await turn();
    seen.push([...ended]);
  }
  const [first, second, third] = ["first", "second", "third"] as string[];
  expect(seen).toEqual([[], [first], [first], [first, second], [first, second], [first, second, third]]);
  expect(clock.waiting).toBe(0);
});

test("nothing is waited for while no request is under way", async () => {
  const clock = manualClock();
  const ended = vi.fn<() => void>();
  for (let i = 0; i < 2; i++) {
    const end = startTimer(clock, 100, ended);
    expect(clock.waiting).toBe(1);
    clock.advance(99);
    end();
    expect(clock.waiting).toBe(0);
  }
  clock.advance(1000);
  await turn();

  expect(ended).not.toHaveBeenCalled();
});

test("a timer of the machine keeps the process alive only while its request is under way", () => {
  const started = vi.spyOn(globalThis, "setTimeout");
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const end = startTimer(systemClock, 60_000, () => undefined);
  expect(timers() - before).toBe(1);
  end();

  expect(timers() - before).toBe(0);
  // What replaces the global timers has its own time.
  expect(started).not.toHaveBeenCalled();
});

test("a request that begins after a pause is not ended by the timer of those before it", async () => {
  const ended = vi.fn<() => void>();
  startTimer(systemClock, 80, ended)();
  await systemClock.wait(40);
  const begun = performance.now();
  const over = await new Promise<number>((resolve) => {
    startTimer(systemClock, 80, () => resolve(performance.now() - begun));
  });

  expect(over).toBeGreaterThanOrEqual(78);
  expect(ended).not.toHaveBeenCalled();
});

test("the longest limit is one that a timer takes", () => {
  const warnings = vi.spyOn(process, "emitWarning");
  startTimer(systemClock, 2 ** 31 - 1, () => undefined)();

  expect(warnings).not.toHaveBeenCalled();
});
