import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Pace } from "../../src/http/pace.ts";

test("pieces of long work go one in a turn of the loop, in the order they were asked for", async () => {
  const pace = new Pace();
  const done: string[] = [];
  const work = async (name: string, pieces: number): Promise<void> => {
    for (let i = 0; i < pieces; i++) {
      await pace.next();
      done.push(`${name}${i}`);
    }
  };
  const all = Promise.all([work("a", 3), work("b", 2), work("c", 1)]);
  const seen: number[] = [];
  while (done.length < 6) {
    await nextTurn();
    seen.push(done.length);
  }
  await all;

  expect(done).toEqual(["a0", "b0", "c0", "a1", "b1", "a2"]);
  // Never two between two looks at what has arrived.
  for (const [i, count] of seen.entries()) expect(count - (seen[i - 1] ?? 0)).toBeLessThanOrEqual(1);
});

test("work that begins when nothing waits goes on in the next turn", async () => {
  const pace = new Pace();
  for (let i = 0; i < 3; i++) {
    await pace.next();
    await nextTurn();
  }
  const order: string[] = [];
  await Promise.all([
    pace.next().then(() => order.push("long")),
    Promise.resolve().then(() => order.push("short")),
  ]);
  expect(order).toEqual(["short", "long"]);
});
