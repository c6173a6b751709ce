import { isLong } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { SpaceSaving } from "../../src/load/space-saving.ts";

/** A few things come often, many seldom; weights as pages and transactions have them. */
const stream = fc.array(
  fc.record({
    group: fc.constantFrom("a", "b"),
    key: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 300 })).map(String),
    weight: fc.oneof(
      { arbitrary: fc.constant(1), weight: 3 },
      { arbitrary: fc.integer({ min: 1, max: 1000 }), weight: 1 },
    ),
  }),
  { maxLength: 400 },
);

test("counts are wrong by N / k at most, and nothing that came more than N / k times is missed", () => {
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 20 }), (things, k) => {
      const saving = new SpaceSaving(k, () => ({ reset: () => undefined }));
      const exact = new Map<string, number>();
      let total = 0;
      for (const { group, key, weight } of things) {
        saving.add(group, key, weight);
        exact.set(`${group} ${key}`, (exact.get(`${group} ${key}`) ?? 0) + weight);
        total += weight;
      }
      const counters = saving.counters();
      const listed = new Map(counters.map((each) => [`${each.group} ${each.key}`, each]));

      expect(listed.size).toBe(Math.min(k, exact.size));
      expect(counters.reduce((sum, { count }) => sum + count, 0)).toBe(total);
      expect(saving.unlisted).toBeLessThanOrEqual(total / k);
      for (const [name, count] of exact) {
        const { count: most, missed } = listed.get(name) ?? {
          count: saving.unlisted,
          missed: saving.unlisted,
        };
        expect(missed).toBeLessThanOrEqual(total / k);
        expect(count).toBeLessThanOrEqual(most);
        expect(count).toBeGreaterThanOrEqual(most - missed);
      }
    }),
    { numRuns: isLong ? 20_000 : 500, seed: 17 },
  );
});

test("what goes with a counter counts exactly what came since the counter was taken over", () => {
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 20 }), (things, k) => {
      const saving = new SpaceSaving(k, () => ({
        since: 0,
        reset() {
          this.since = 0;
        },
      }));
      for (const { group, key, weight } of things) saving.add(group, key, weight).since += weight;

      for (const { count, missed, extra } of saving.counters()) expect(extra.since).toBe(count - missed);
    }),
    { numRuns: 200, seed: 17 },
  );
});
