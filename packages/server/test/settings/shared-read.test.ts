import { expect, test } from "vitest";
import { sharedRead } from "../../src/settings/shared-read.ts";

/** A read that ends when the test says so. */
function heldRead(): {
  readonly read: () => Promise<number>;
  readonly started: (() => void)[];
} {
  const started: (() => void)[] = [];
  const read = (): Promise<number> =>
    new Promise((resolve) => {
      const number = started.length + 1;
      started.push(() => resolve(number));
    });
  return { read, started };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("callers during a read share the next one, which starts after their calls", async () => {
  const { read, started } = heldRead();
  const shared = sharedRead(read);
  const results = [shared(), shared(), shared()];
  expect(started).toHaveLength(1);

  started[0]?.();
  await turn();
  expect(started).toHaveLength(2);
  results.push(shared());
  started[1]?.();
  await turn();
  started[2]?.();

  expect(await Promise.all(results)).toEqual([1, 2, 2, 3]);
});

test("a read that fails is not shared with later callers", async () => {
  let count = 0;
  const shared = sharedRead(async () => {
    if (++count === 1) throw new Error("no connection");
    return count;
  });

  const [first, second] = [shared(), shared()];
  await expect(first).rejects.toThrow("no connection");
  expect(await second).toBe(2);
  expect(await shared()).toBe(3);
});
