import { openStorage, type TableStorage } from "@partita/core";
import { type ManualClock, manualClock } from "@partita/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BlockLease, type StoredFile, tableFiles } from "../src/index.ts";

let storage: TableStorage;
let clock: ManualClock;
let queue: StoredFile;
beforeEach(async () => {
  storage = await openStorage("memory:");
  clock = manualClock(Date.UTC(2026, 10, 27));
  queue = await tableFiles(storage, { clock }).create("/queue");
  for (const text of ["a", "b", "c"]) await queue.append(text);
});
afterEach(() => storage.close());

const lease = async (ms = 1000): Promise<BlockLease> => {
  const leased = await queue.leaseHead({ for: ms });
  if (leased === undefined) throw new Error("nothing to lease");
  return leased;
};

const textOf = ({ block }: BlockLease): string => Buffer.from(block.bytes).toString();

test("each block is leased by one program at a time, in order", async () => {
  const leases = [await lease(), await lease(), await lease()];
  expect(leases.map(textOf)).toEqual(["a", "b", "c"]);
  expect(leases[0]?.until).toEqual(new Date(clock.now() + 1000));
  expect(await queue.leaseHead({ for: 1000 })).toBeUndefined();
  for (const one of leases) await one.done();
  expect([await queue.blockCount(), await queue.size()]).toEqual([0, 0]);
  expect(await queue.leaseHead({ for: 1000 })).toBeUndefined();
});

test("the block of a program that was killed is leased again, and is not lost", async () => {
  const killed = await lease();
  clock.advance(1000);
  const next = await lease();
  expect(next.block).toEqual(killed.block);
  for (const call of [() => killed.done(), () => killed.renew({ for: 1000 }), () => killed.release()])
    await expect(call()).rejects.toMatchObject({ code: "file.lease-lost", details: { block: "0" } });
  await next.done();
  expect(await queue.text()).toBe("bc");
  await expect(next.done()).rejects.toMatchObject({ code: "file.lease-lost" });
});

test("a lease that is renewed goes on, also after its end if nobody has the block", async () => {
  const held = await lease();
  clock.advance(900);
  await held.renew({ for: 1000 });
  expect(held.until).toEqual(new Date(clock.now() + 1000));
  clock.advance(900);
  expect(textOf(await lease())).toBe("b");
  clock.advance(200);
  await held.renew({ for: 5000 });
  await held.done();
  expect(await queue.text()).toBe("bc");
});

test("a lease that is released is leased next", async () => {
  const held = await lease();
  await held.release();
  await expect(held.done()).rejects.toMatchObject({ code: "file.lease-lost" });
  expect(textOf(await lease())).toBe("a");
});

test("what is appended while blocks are leased comes after them", async () => {
  await lease();
  await queue.append("d");
  await queue.deleteBlock(1n);
  expect([textOf(await lease()), textOf(await lease())]).toEqual(["c", "d"]);
});

test("a free block is found after hundreds of leased ones", async () => {
  const files = tableFiles(storage, { clock, blockSize: 1 });
  const long = await files.write("/long", "x".repeat(250));
  for (let i = 0n; i < 250n; i++) expect((await long.leaseHead({ for: 1000 }))?.block.id).toBe(i);
  await long.append("y");
  expect((await long.leaseHead({ for: 1000 }))?.block.id).toBe(250n);
});

test("wrong options are refused", async () => {
  for (const options of [{}, { for: 0 }, { for: "1s" }, { forMs: 1 }, undefined])
    await expect(async () => queue.leaseHead(options as never)).rejects.toMatchObject({
      code: "file.option",
    });
});
