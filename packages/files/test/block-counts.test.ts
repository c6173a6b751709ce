import { openStorage, type TableStorage } from "@partita/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Files, type StoredFile, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let files: Files;
let file: StoredFile;
beforeEach(async () => {
  storage = await openStorage("memory:");
  files = tableFiles(storage, { name: "Docs", blockSize: 4 });
  file = await files.write("/a", "0123456789");
});
afterEach(() => storage.close());

const counts = async (): Promise<number[]> => [await file.blockCount(), await file.size()];

test("blocks and bytes are counted through every change", async () => {
  expect(await counts()).toEqual([3, 10]);
  await file.append("abc");
  expect(await counts()).toEqual([4, 13]);
  expect(await file.writeBlock(1n, "!")).toEqual({ block: 1n, overwrote: true });
  expect(await counts()).toEqual([4, 10]);
  expect(await file.writeBlock(7n, "hole")).toEqual({ block: 7n, overwrote: false });
  expect(await counts()).toEqual([5, 14]);
  await file.deleteBlock(7n);
  await file.deleteHead();
  expect(await counts()).toEqual([3, 6]);
  expect(await file.deleteBlock(0n)).toBe(false);
  expect(await file.writeBlock(0n, "back")).toEqual({ block: 0n, overwrote: false });
  expect(await counts()).toEqual([4, 10]);
  expect(await file.append("end")).toBe(8n);
  expect(await counts()).toEqual([5, 13]);
});

test("the blocks of a range are counted, with and without missing ones", async () => {
  const ranges = [{ from: 1n }, { to: 2n }, { from: 1n, to: 2n }, { from: 9n }, { from: 2n, to: 2n }];
  const counted = async (): Promise<number[]> => Promise.all(ranges.map((range) => file.blockCount(range)));
  expect(await counted()).toEqual([2, 2, 1, 0, 0]);
  await file.deleteBlock(1n);
  expect(await counted()).toEqual([1, 1, 0, 0, 0]);
});

test("the bytes of a range are estimated from its ends", async () => {
  expect(await file.estimate()).toBe(10);
  expect(await file.estimate({ from: 1n })).toBe(7);
  expect(await file.estimate({ to: 1n })).toBe(3);
  expect(await file.estimate({ from: 3n })).toBe(0);
  await file.deleteHead();
  expect(await file.estimate()).toBe(6);
});

test("the size of blocks can be read", () => {
  expect(files.blockSize).toBe(4);
  expect(tableFiles(storage).blockSize).toBe(262_144);
});
