import { expect, test } from "vitest";
import { FairLock } from "../../../src/stores/embedded/fair-lock.ts";

/** Work that begins when it may, and ends when it is told to. */
function works(): {
  readonly begun: string[];
  readonly work: (name: string) => () => Promise<string>;
  readonly end: (name: string) => Promise<void>;
} {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name) => async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    },
    async end(name) {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("several share, one is alone, and each begins in the order it came", async () => {
  const { begun, work, end } = works();
  const lock = new FairLock();
  const results = [
    lock.shared(work("read 1")),
    lock.shared(work("read 2")),
    lock.alone(work("write 1")),
    lock.shared(work("read 3")),
    lock.shared(work("read 4")),
    lock.alone(work("write 2")),
    lock.alone(work("write 3")),
  ];
  expect(begun).toEqual(["read 1", "read 2"]);
  await end("read 2");
  expect(begun).toHaveLength(2);
  await end("read 1");
  expect(begun.slice(2)).toEqual(["write 1"]);
  await end("write 1");
  expect(begun.slice(3)).toEqual(["read 3", "read 4"]);
  await end("read 3");
  await end("read 4");
  expect(begun.slice(5)).toEqual(["write 2"]);
  await end("write 2");
  await end("write 3");

  expect(await Promise.all(results)).toEqual([
    "read 1",
    "read 2",
    "write 1",
    "read 3",
    "read 4",
    "write 2",
    "write 3",
  ]);
});

test("work that fails makes room for the next", async () => {
  const lock = new FairLock();
  const failing = lock.alone(() => Promise.reject(new Error("no")));
  const next = lock.shared(() => Promise.resolve("yes"));

  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
