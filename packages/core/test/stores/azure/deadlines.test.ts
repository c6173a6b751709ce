import { expect, test, vi } from "vitest";
import { manualClock } from "@partita/testing";
import { Deadlines } from "../../../src/stores/azure/http/deadlines.ts";
import { httpDate } from "../../../src/stores/azure/http/http-date.ts";
import { systemClock } from "../../../src/storage/clock.ts";

/** Requests by name, which note when they are ended. */
function limited() {
  const ended: string[] = [];
  const request = (name: string) => ({ expire: (limitMs: number) => void ended.push(`${name} ${limitMs}`) });
  return { ended, request };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("each request is ended when its own time is over, and one wait serves all of them", async () => {
  const clock = manualClock();
  const deadlines = new Deadlines(100, clock);
  const { ended, request } = limited();
  const answered = request("answered");
  deadlines.add(request("first"));
  clock.advance(30);
  deadlines.add(answered);
  deadlines.add(request("second"));
  clock.advance(30);
  deadlines.add(request("third"));
  deadlines.delete(answered);
  expect(clock.waiting).toBe(1);

  const seen: string[][] = [];
  for (const ms of [39, 1, 29, 1, 29, 1]) {
    clock.advance(ms);
    await turn();
    seen.push([...ended]);
  }
  const [first, second, third] = ["first 100", "second 100", "third 100"] as string[];
  expect(seen).toEqual([[], [first], [first], [first, second], [first, second], [first, second, third]]);
  expect(clock.waiting).toBe(0);
});

test("nothing is waited for while no request is under way", async () => {
  const clock = manualClock();
  const deadlines = new Deadlines(100, clock);
  const { ended, request } = limited();
  for (const name of ["a", "b"]) {
    const one = request(name);
    deadlines.add(one);
    expect(clock.waiting).toBe(1);
    clock.advance(99);
    deadlines.delete(one);
    expect(clock.waiting).toBe(0);
  }
  clock.advance(1000);
  await turn();

  expect(ended).toEqual([]);
});

test("by the clock of the machine, requests share a timer, which keeps the process alive only while one is under way", async () => {
  const started = vi.spyOn(globalThis, "setTimeout");
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const deadlines = new Deadlines(60_000, systemClock);
  const { request } = limited();
  for (let i = 0; i < 100; i++) {
    const [one, other] = [request("one"), request("other")];
    deadlines.add(one);
    deadlines.add(other);
    expect(timers() - before).toBe(1);
    deadlines.delete(one);
    expect(timers() - before).toBe(1);
    deadlines.delete(other);
    expect(timers() - before).toBe(0);
  }

  expect(started).not.toHaveBeenCalled();
});

test("a request that begins after a pause is not ended by the timer of those before it", async () => {
  const deadlines = new Deadlines(80, systemClock);
  const { ended, request } = limited();
  const early = request("early");
  deadlines.add(early);
  deadlines.delete(early);
  await systemClock.wait(40);
  const begun = performance.now();
  const over = new Promise<number>((resolve) =>
    deadlines.add({ expire: () => resolve(performance.now() - begun) }),
  );

  expect(await over).toBeGreaterThanOrEqual(79);
  expect(ended).toEqual([]);
});

test("the longest limit that a timer takes is not passed by rounding", () => {
  const warnings = vi.spyOn(process, "emitWarning");
  const { request } = limited();
  for (let i = 0; i < 50; i++) {
    const one = request("one");
    const deadlines = new Deadlines(2 ** 31 - 1, systemClock);
    deadlines.add(one);
    deadlines.delete(one);
  }

  expect(warnings).not.toHaveBeenCalled();
});

test("the date of a request is that of its second, also when the clock is set back", () => {
  const times = [0, 999, 1000, 1_795_222_369_999, 1_795_222_369_000, 5, -1];

  expect(times.map(httpDate)).toEqual(times.map((ms) => new Date(ms).toUTCString()));
});
