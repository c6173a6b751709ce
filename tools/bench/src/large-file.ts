// Writes or reads a file of many bytes in its own process, and sends the memory above that at its start.
import { fork } from "node:child_process";
import { once } from "node:events";
import { openStorage } from "@partita/core";
import { tableFiles, type StoredFile } from "@partita/files";

export type LargeWork = "write" | "read into own memory" | "read parts";

/** @returns peak bytes of resident memory, above those after a first small file */
export async function peakOfLargeFile(work: LargeWork, database: string, bytes: number): Promise<number> {
  // The packages as they are published: compiling sources at the start lets V8's young generation grow, which would be counted.
  const child = fork(import.meta.filename, [work, database, String(bytes)], { execArgv: ["--expose-gc"] });
  const [peak] = (await once(child, "message")) as [number];
  await once(child, "exit");
  return peak;
}

const partBytes = 64 * 1024;

/** Parts of a stream in the same memory, because the memory of the source is not measured. */
export async function* partsOf(bytes: number): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(partBytes);
  for (let at = 0; at < bytes; at += partBytes) {
    for (let i = 0; i < partBytes; i += 997) part[i] = at + i;
    yield part;
  }
}

/** Reads a file into the same memory repeatedly, like programs that copy it. @returns the number of bytes */
export async function readIntoOwnMemory(file: StoredFile): Promise<number> {
  const reader = file.stream().getReader({ mode: "byob" });
  let read = 0;
  for (let memory = new Uint8Array(256 * 1024); ;) {
    const { value, done } = await reader.read(memory);
    if (done) return read;
    read += value.byteLength;
    memory = new Uint8Array(value.buffer);
  }
}

/** Reads a file in the parts of its stream. @returns the number of bytes */
export async function readParts(file: StoredFile): Promise<number> {
  let read = 0;
  for await (const part of file.stream()) read += part.byteLength;
  return read;
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const [, , work, database, bytes] = process.argv;
  await using storage = await openStorage(`file:${database}`);
  const files = tableFiles(storage);
  // Memory for loading and compiling does not grow with a file.
  await (await files.write("/small", partsOf(4 * 1024 ** 2))).bytes();
  globalThis.gc?.();
  const start = process.memoryUsage.rss();
  let peak = start;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  if (work === "write") await files.write("/large", partsOf(Number(bytes)));
  else {
    const read = work === "read parts" ? readParts : readIntoOwnMemory;
    const length = await read((await files.open("/large")) as StoredFile);
    if (length !== Number(bytes)) throw new Error(`Read ${length} bytes.`);
  }
  clearInterval(timer);
  process.send(peak - start);
}
