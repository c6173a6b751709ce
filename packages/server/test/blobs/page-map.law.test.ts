import fc from "fast-check";
import { expect, test } from "vitest";
import { PageMap } from "../../src/blobs/page-map.ts";

const range = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 20 })).map(([start, length]) => ({
  start,
  end: start + length - 1,
}));
const change = fc.record({ range, isWritten: fc.boolean() });
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** The same with a number for each byte. */
function bytesOf(changes: readonly Change[]): ReadonlySet<number> {
  const bytes = new Set<number>();
  for (const {
    range: { start, end },
    isWritten,
  } of changes)
    for (let at = start; at <= end; at++)
      if (isWritten) bytes.add(at);
      else bytes.delete(at);
  return bytes;
}

test("has the bytes that were written last, in ranges that do not touch", () => {
  const law = fc.property(
    fc.array(change, { maxLength: 30 }),
    range,
    fc.integer({ min: 1, max: 5 }),
    (changes, asked, limit) => {
      const map = new PageMap();
      for (const { range: changed, isWritten } of changes)
        if (isWritten) map.write(changed);
        else map.clear(changed);
      const bytes = bytesOf(changes);
      const expected: { start: number; end: number }[] = [];
      for (let at = asked.start; at <= asked.end; at++) {
        if (!bytes.has(at)) continue;
        const last = expected.at(-1);
        if (last !== undefined && last.end + 1 === at) last.end = at;
        else expected.push({ start: at, end: at });
      }

      expect(map.ranges(asked)).toStrictEqual(expected);
      expect(map.count(asked)).toBe(expected.length);
      expect(map.ranges(asked, limit)).toStrictEqual(expected.slice(0, limit));
      expect(map.copy().ranges(asked)).toStrictEqual(expected);
    },
  );
  fc.assert(law, { seed: 20_261_122, numRuns: 1000 });
});
