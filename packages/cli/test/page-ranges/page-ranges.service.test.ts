import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { type PageBlobServer, startPageBlobServer } from "@partita/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../published.ts";

const ranges = [
  { start: 0, end: 1024 ** 2 - 1 },
  { start: 4 * 1024 ** 2 - 512, end: 4 * 1024 ** 2 + 511 },
];
let server: PageBlobServer;
beforeAll(async () => {
  server = await startPageBlobServer({ maxRangesPerResponse: 3 });
  server.putPageBlob("vhds/disk.vhd", { size: 16 * 1024 ** 2, ranges });
  const fragments = Array.from({ length: 6 }, (_, i) => ({ start: i * 1024, end: i * 1024 + 511 }));
  const late = fragments.map(({ start, end }) => ({ start: start + 8192, end: end + 8192 }));
  server.putPageBlob("vhds/fragmented.vhd", { size: 16_384, ranges: [{ start: 0, end: 511 }, ...late] });
});
afterAll(() => server.close());

interface Run {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

async function pageRanges(...args: readonly string[]): Promise<Run> {
  const command = [main, "page-ranges", server.connectionString, ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number]>,
  ]);
  return { code, out, errors };
}

test("a map, a summary and a picture of a blob are made", async () => {
  await using folder = await temporaryFolder();
  const svg = folder.file("disk.svg");

  const { code, out, errors } = await pageRanges("--blob", "vhds/disk.vhd", "--segment", "4M", "--svg", svg);

  expect(errors).toBe("");
  expect(out).toMatch(/^ {7}0 B {2}█{64}\n/);
  expect(out).toContain("1 MiB of 16 MiB are written (6.3 %), in 3 ranges of 1 MiB at most; 4 calls.");
  expect(await readFile(svg, "utf8")).toMatch(/^<svg [\s\S]*vhds\/disk\.vhd[\s\S]*<\/svg>\n$/);
  expect(code).toBe(0);
});

test("a list has a line for each range, joined where they touch", async () => {
  const { code, out, errors } = await pageRanges(
    "--blob",
    "vhds/disk.vhd",
    "--segment",
    "4M",
    "--join",
    "--list",
  );

  expect(out).toBe(ranges.map(({ start, end }) => `${start}-${end}\n`).join(""));
  expect(errors).toContain("in 2 ranges");
  expect(code).toBe(0);
});

test("a call that fails ends with 1, what to do, and where to go on, without the key", async () => {
  const { code, out, errors } = await pageRanges("--blob", "vhds/fragmented.vhd", "--segment", "8K");

  expect(out).toBe("");
  expect(errors).toContain("Continue with --from 512");
  expect(errors).toContain("Ask about less in each call with segmentBytes");
  expect(errors).not.toContain(server.key);
  expect(code).toBe(1);
});

test("a wrong call ends with 2", async () => {
  const { code, errors } = await pageRanges("--segment", "100");

  expect(errors).toContain("multiple of 512");
  expect(code).toBe(2);
});
