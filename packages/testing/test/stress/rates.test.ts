import { describe, expect, test } from "vitest";
import { closerRate, firstRates, sustainedOf } from "../../src/stress/run/rates.ts";

const sustained = (rate: number) => ({ rate, isSustained: true, seconds: 5, lateMs: 0 });
const failed = (rate: number, lateMs = 0) => ({ rate, isSustained: false, seconds: 5, lateMs });

describe("the rates of the first steps", () => {
  test("rise by one factor, from the first to the last exactly", () => {
    expect(firstRates({ from: 100, to: 800, steps: 4 }, undefined)).toEqual([100, 200, 400, 800]);
    expect(firstRates({ from: 1.5, to: 6, steps: 3 }, undefined)).toEqual([1.5, 3, 6]);
  });

  test("have the target among them, once", () => {
    expect(firstRates({ from: 100, to: 800, steps: 4 }, 500)).toEqual([100, 200, 400, 500, 800]);
    expect(firstRates({ from: 100, to: 800, steps: 4 }, 400)).toEqual([100, 200, 400, 800]);
  });
});

describe("a closer look", () => {
  test("is between the largest rate that was sustained and the next that was not", () => {
    expect(closerRate([sustained(100), sustained(400), failed(900), failed(2000)])).toBe(600);
  });

  test("does not take a step that failed by chance for the limit", () => {
    expect(closerRate([sustained(100), failed(200), sustained(400), failed(900)])).toBe(600);
  });

  test("runs a step once more that failed while this machine was late, and then believes it", () => {
    const late = [sustained(400), failed(500, 51), failed(900, 400)];

    expect(closerRate([sustained(400), failed(500, 50)])).toBe(447);
    expect(closerRate(late)).toBe(500);
    expect(closerRate([...late, failed(500, 400)])).toBe(447);
    expect(closerRate([...late, sustained(500)])).toBe(900);
  });

  test("goes below the first rate when nothing was sustained", () => {
    expect(closerRate([failed(100), failed(200)])).toBe(50);
  });

  test("is not needed where everything was sustained, or where both are near", () => {
    expect(closerRate([sustained(100), sustained(200)])).toBeUndefined();
    expect(closerRate([sustained(1000), failed(1010)])).toBeUndefined();
  });
});

test("the largest rate that was sustained is 0 when none was", () => {
  expect(sustainedOf([failed(10), sustained(20), failed(30)])).toBe(20);
  expect(sustainedOf([failed(10)])).toBe(0);
});
