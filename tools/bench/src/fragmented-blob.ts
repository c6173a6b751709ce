import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { openPageBlob } from "@partita/page-blobs";
import { accountSas } from "@partita/account";
import { startPageBlobServer } from "@partita/server";

/** A disk of 500 GB with 500,000 fragments. */
export const fragments = 500_000;
export const diskBytes: number = 500 * 1024 ** 3;

/** Its service in its own process, so only clients are measured. */
export interface FragmentedBlob {
  /** With a signature. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startFragmentedBlob(): Promise<FragmentedBlob> {
  const child: ChildProcess = fork(import.meta.filename, ["serve"]);
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** The peak memory of a client in its own process, in bytes above its memory when it starts to read. */
export async function peakOf(client: ClientName, url: string, segmentBytes: number): Promise<number> {
  const child = fork(import.meta.filename, [client, url, String(segmentBytes)]);
  const [bytes] = (await once(child, "message")) as [number];
  await once(child, "exit");
  return bytes;
}

/** Ways to read the ranges. The client returns their number. */
const clients = { ours: countOurs, sdk: countWithSdk };

export type ClientName = keyof typeof clients;

export async function countOurs(url: string, segmentBytes: number): Promise<number> {
  await using disk = await openPageBlob(url);
  let count = 0;
  for await (const { start, end } of disk.pageRanges({ segmentBytes })) if (end > start) count++;
  return count;
}

export async function countWithSdk(url: string, segmentBytes: number): Promise<number> {
  const { AnonymousCredential, PageBlobClient } = await import("@azure/storage-blob");
  const client = new PageBlobClient(url, new AnonymousCredential());
  let count = 0;
  for (let start = 0; start < diskBytes; start += segmentBytes) {
    // It has the newest version, where responses are split into parts.
    for await (const { start: first, end } of client.listPageRanges(start, segmentBytes))
      if (end > first) count++;
  }
  return count;
}

const [, program, mode = "", target = "", size = ""] = process.argv;
if (program === import.meta.filename) await (mode === "serve" ? serve() : measure(mode as ClientName));

async function serve(): Promise<void> {
  const server = await startPageBlobServer();
  const step = Math.floor(diskBytes / fragments / 512) * 512;
  const ranges = Array.from({ length: fragments }, (_, i) => ({ start: i * step, end: i * step + 511 }));
  const url = server.putPageBlob("vhds/disk.vhd", { size: diskBytes, ranges });
  const sas = accountSas(
    { accountName: server.account, accountKey: server.key },
    { permissions: "r", services: "b", protocol: "https,http", expiresAt: new Date(Date.now() + 3_600_000) },
  );
  process.send?.(`${url}?${sas}`);
}

async function measure(client: ClientName): Promise<void> {
  const peak = (): number => process.resourceUsage().maxRSS * 1024;
  // Loads, connects and partly compiles: one call without ranges.
  const count = clients[client];
  if (client === "ours") {
    const blob = await openPageBlob(target);
    for await (const _range of blob.pageRanges({ from: diskBytes - 512, segmentBytes: 512 })) break;
    await blob.close();
  } else await import("@azure/storage-blob");
  const before = peak();
  const found = await count(target, Number(size));
  if (found !== fragments) throw new Error(`${client} found ${found} ranges.`);
  process.send?.(peak() - before);
  process.disconnect();
}
