import { randomNumbers } from "@partita/testing";
import { expect, test } from "vitest";
import { Density } from "../../src/page-ranges/density.ts";

test("what is written in all pieces is what was added, whatever the size", () => {
  const random = randomNumbers(20_261_122);
  const upTo = (most: number): number => Math.floor(random() * most);
  for (let run = 0; run < 500; run++) {
    const density = new Density(16);
    let [end, written] = [0, 0];
    for (let left = upTo(60); left > 0; left--) {
      const start = end + upTo(40) * 512;
      end = start + (1 + upTo(40)) * 512;
      written += end - start;
      density.add({ start, end: end - 1 });
    }
    const size = Math.max(512, end + upTo(100) * 512);
    const count = 1 + upTo(64);

    const shares = density.shares(size, count);

    const shown = shares.reduce((sum, share) => sum + (share * size) / count, 0);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(Math.abs(shown - written)).toBeLessThan(1e-6 * size + 1);
  }
});
