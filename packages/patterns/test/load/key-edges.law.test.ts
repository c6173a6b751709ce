import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { newestFirst, oldestFirst } from "@partita/core/keys";
import { ulidSource } from "@partita/core/internal";
import { KeyEdges } from "../../src/load/key-edges.ts";

const inserts = 1500;
const rounds = { numRuns: 30, seed: 17 };

function edgesOf(keys: readonly string[]): KeyEdges {
  const edges = new KeyEdges();
  for (const key of keys) edges.insert(key);
  return edges;
}

/** Times of which each is later than the one before, and how many inserts run at the same time. */
const times = fc
  .record({
    start: fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true }),
    steps: fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 }),
    atOnce: fc.integer({ min: 1, max: 32 }),
  })
  .map(({ start, steps, atOnce }) => {
    let at = start.getTime();
    const dates = Array.from(
      { length: inserts },
      (_, i) => new Date((at += steps[i % steps.length] as number)),
    );
    return { dates, atOnce };
  });

/** The worst order in which inserts that run at the same time can arrive. */
function asTheyArrive(keys: readonly string[], atOnce: number): string[] {
  const arrived: string[] = [];
  for (let i = 0; i < keys.length; i += atOnce) arrived.push(...keys.slice(i, i + atOnce).toReversed());
  return arrived;
}

test("GUIDs never go to one end", () => {
  const guids = fc.array(fc.uuid(), { minLength: inserts, maxLength: inserts });

  fc.assert(
    fc.property(guids, (keys) => {
      const { beyondLargest, belowSmallest } = edgesOf(keys);

      expect(Math.max(beyondLargest, belowSmallest)).toBeLessThan(0.1);
    }),
    rounds,
  );
});

test("ticks, ULIDs and times always go to one end, also where several are inserted at once", () => {
  fc.assert(
    fc.property(times, ({ dates, atOnce }) => {
      const newUlid = ulidSource();
      const edgesOfDates = (encode: (date: Date) => string): KeyEdges =>
        edgesOf(asTheyArrive(dates.map(encode), atOnce));
      const rising = [(date: Date) => oldestFirst.encode(date) as string, newUlid].map(edgesOfDates);
      const falling = edgesOfDates((date) => newestFirst.encode(date) as string);

      for (const edges of rising) expect(edges.beyondLargest).toBe(1);
      expect(falling.belowSmallest).toBe(1);
      expect(falling.beyondLargest).toBe(0);
    }),
    rounds,
  );
});

test("the shares are those of the last 1,000 inserts, as a list of all of them has it", () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9999 }), { minLength: 1, maxLength: 2500, size: "max" });

  fc.assert(
    fc.property(keys, (numbers) => {
      const texts = numbers.map((n) => String(n).padStart(4, "0"));
      const least: string[] = [];
      const greatest: string[] = [];
      for (const [i, key] of texts.entries()) {
        const [low = key, high = key] = [least[i - 1], greatest[i - 1]];
        least.push(key < low ? key : low);
        greatest.push(key > high ? key : high);
      }
      const sides = texts.map((key, i) => {
        const [low, high] = [least, greatest].map((list) => list[i - (i % 32) - 33]);
        if (low === undefined || high === undefined) return "between";
        return key > high ? "above" : key < low ? "below" : "between";
      });
      const last = sides.slice(-1000);
      const shareOf = (side: string): number => last.filter((each) => each === side).length / last.length;
      const edges = edgesOf(texts);

      expect(edges.inserts).toBe(last.length);
      expect(edges.beyondLargest).toBe(shareOf("above"));
      expect(edges.belowSmallest).toBe(shareOf("below"));
    }),
    { numRuns: 30, seed: 17 },
  );
});

test("one partition that takes every insert is at no end", () => {
  const {
    inserts: count,
    beyondLargest,
    belowSmallest,
  } = edgesOf(Array.from({ length: inserts }, () => "all"));

  expect([count, beyondLargest, belowSmallest]).toEqual([1000, 0, 0]);
});
