import { openStorage } from "@partita/core";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { expect, test } from "vitest";
import { tableFiles } from "../src/index.ts";

const mebibyte = 1024 ** 2;
const length = 160 * mebibyte;
/** The runtime collects arrays when about 64 MiB of them have been left. */
const most = 24 * mebibyte;

test("a long file is written and read in the memory of a few transactions", async () => {
  await using folder = await temporaryFolder();
  await using storage = await openStorage(`file:${folder.file("files.db")}`, { durability: "normal" });
  const files = tableFiles(storage);
  const start = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - start);
  };
  const part = new Uint8Array(64 * 1024);
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length; at += part.length) {
      part.fill(at / part.length);
      look();
      yield part;
    }
  };
  const file = await files.write("/long", parts());
  expect(peak).toBeLessThan(most);

  const reader = file.stream().getReader({ mode: "byob" });
  let [read, wrong] = [0, 0];
  for (let memory = new Uint8Array(64 * 1024); ;) {
    const { value, done } = await reader.read(memory);
    if (done) break;
    look();
    // Parts end where blocks do, and blocks are made of whole parts of the source.
    const wanted = (read / part.length) & 255;
    if (value[0] !== wanted || value.at(-1) !== wanted) wrong++;
    read += value.byteLength;
    memory = new Uint8Array(value.buffer);
  }
  expect({ read, wrong }).toEqual({ read: length, wrong: 0 });
  expect(peak).toBeLessThan(most);

  const copy = await files.copy("/long", "/copy", { onProgress: look });
  expect(await copy.size()).toBe(length);
  expect(peak).toBeLessThan(most);
});
