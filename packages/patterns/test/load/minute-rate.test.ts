import { expect, test } from "vitest";
import { MinuteRate } from "../../src/load/minute-rate.ts";

const minute = 60_000;

test("counts what came in the last minute, and of the one before it what still belongs to the last 60 seconds", () => {
  const rate = new MinuteRate();
  rate.add(100, 0);
  rate.add(20, minute);

  expect(rate.at(minute)).toBe(120);
  expect(rate.at(minute * 1.5)).toBe(70);
  expect(rate.at(minute * 2)).toBe(20);
  expect(rate.at(minute * 2.5)).toBe(10);
  expect(rate.at(minute * 3)).toBe(0);
});

test("a pause of more than a minute leaves nothing", () => {
  const rate = new MinuteRate();
  rate.add(100, 0);
  rate.add(5, 10 * minute);

  expect(rate.at(10 * minute)).toBe(5);
});

test("a clock that is set back counts on", () => {
  const rate = new MinuteRate();
  rate.add(1, 5 * minute);
  rate.add(1, 2 * minute);

  expect(rate.at(5 * minute)).toBe(2);
});
