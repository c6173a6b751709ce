// A process of its own: writes a file of many bytes, or reads it, and sends how much memory it took beyond its beginning.
import { fork } from "node:child_process";
import { once } from "node:events";
import { openStorage } from "@partita/core";
import { openFiles } from "@partita/files";

export type LargeWork = "write" | "read";

/** @returns bytes of resident memory at most, beyond those after a first small file */
export async function peakOfLargeFile(work: LargeWork, database: string, bytes: number): Promise<number> {
  const child = fork(import.meta.filename, [work, database, String(bytes)]);
  const [peak] = (await once(child, "message")) as [number];
  await once(child, "exit");
  return peak;
}

const partBytes = 64 * 1024;

/** Parts of a stream, all in the same memory: what a source takes itself is not what is measured. */
export async function* partsOf(bytes: number): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(partBytes);
  for (let at = 0; at < bytes; at += partBytes) {
    for (let i = 0; i < partBytes; i += 997) part[i] = at + i;
    yield part;
  }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const [, , work, database, bytes] = process.argv;
  await using storage = await openStorage(`file:${database}`);
  const files = openFiles(storage);
  // What is loaded and compiled once does not grow with a file.
  await (await files.write("/small", partsOf(4 * 1024 ** 2))).bytes();
  globalThis.gc?.();
  const start = process.memoryUsage.rss();
  let peak = start;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  if (work === "write") await files.write("/large", partsOf(Number(bytes)));
  else {
    let read = 0;
    for await (const part of (await files.open("/large"))?.stream() ?? []) read += part.byteLength;
    if (read !== Number(bytes)) throw new Error(`Read ${read} bytes.`);
  }
  clearInterval(timer);
  process.send(peak - start);
}
