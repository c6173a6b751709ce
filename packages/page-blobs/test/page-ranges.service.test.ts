import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAzuriteBlobs } from "@partita/test-support/azurite";
import { type PageBlobServer, startPageBlobServer } from "@partita/server";
import { openPageBlob, type OpenPageBlobOptions, type PageBlob, type PageRange } from "../src/index.ts";
import { emulatorAccount } from "@partita/core/rest";
import type { StorageError } from "@partita/core";
import { callsOf, createPageBlob, sendSigned, writePages } from "./blob-client.ts";
import { collect, cutAt, pageList } from "./random-map.ts";

const gibibyte = 1024 ** 3;

interface Service {
  readonly url: string;
  readonly account: string;
  readonly key: string;
  stop(): Promise<void>;
}

const services: readonly (readonly [name: string, start: () => Promise<Service>])[] = [
  ["startPageBlobServer", ours],
  ["Azurite", azurite],
];

async function ours(): Promise<Service> {
  const server = await startPageBlobServer();
  const { url, account, key } = server;
  return { url, account, key, stop: () => server.close() };
}

async function azurite(): Promise<Service> {
  const emulator = await startAzuriteBlobs();
  const { accountName: account, accountKey: key } = emulatorAccount;
  return { url: emulator.endpoint, account, key, stop: () => emulator.stop() };
}

describe.each(services)("page ranges over %s", (_name, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  const open = (path: string): Promise<PageBlob> => {
    const { url, account: accountName, key: accountKey } = service;
    return openPageBlob(url + path, { credential: { accountName, accountKey } });
  };

  test("a blob of 40 GB that is written at every border is read in four calls of 10 GB", async () => {
    await createPageBlob(service, "/vhds/disk.vhd", 40 * gibibyte);
    for (const border of [10, 20, 30])
      await writePages(service, "/vhds/disk.vhd", border * gibibyte - 512, border * gibibyte + 511);
    await using disk = await open("/vhds/disk.vhd");
    const [whole] = await callsOf(() => collect(disk.pageRanges({ segmentBytes: 40 * gibibyte })));

    const [found, calls] = await callsOf(() => collect(disk.pageRanges({ segmentBytes: 10 * gibibyte })));

    expect(calls).toHaveLength(4);
    expect(whole).toHaveLength(3);
    expect(found).toStrictEqual(cutAt(whole, 10 * gibibyte));
    expect(found).toHaveLength(6);
    expect(await collect(disk.pageRanges({ segmentBytes: 10 * gibibyte, join: true }))).toStrictEqual(whole);
  });

  test("nothing is asked until the loop begins, and no more than it needs", async () => {
    await createPageBlob(service, "/vhds/lazy.vhd", 8 * 4096);
    for (const page of [0, 3, 8, 16, 24])
      await writePages(service, "/vhds/lazy.vhd", page * 512, page * 512 + 511);
    await using disk = await open("/vhds/lazy.vhd");
    const [ranges, before] = await callsOf(async () => disk.pageRanges({ segmentBytes: 4096 }));

    const [, calls] = await callsOf(async () => {
      let left = 3;
      for await (const _range of ranges) if (--left === 0) break;
    });

    expect(before).toHaveLength(0);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toContain("timeout=90");
  });

  test("an empty blob and one without pages have no ranges", async () => {
    await createPageBlob(service, "/vhds/empty.vhd", 0);
    await createPageBlob(service, "/vhds/blank.vhd", 4096);
    await using empty = await open("/vhds/empty.vhd");
    await using blank = await open("/vhds/blank.vhd");

    expect(await callsOf(() => collect(empty.pageRanges()))).toMatchObject([[], { length: 1 }]);
    expect(await callsOf(() => collect(blank.pageRanges({ segmentBytes: 1024 })))).toMatchObject([
      [],
      { length: 4 },
    ]);
  });

  test("a blob that grows meanwhile is read to its new end, and one that shrinks to that", async () => {
    for (const size of [8192, 1024]) {
      await createPageBlob(service, "/vhds/resized.vhd", 4096);
      for (const page of [0, 2, 7])
        await writePages(service, "/vhds/resized.vhd", page * 512, page * 512 + 511);
      await using disk = await open("/vhds/resized.vhd");
      const found: PageRange[] = [];
      let isResized = false;

      for await (const range of disk.pageRanges({ segmentBytes: 1024 })) {
        found.push(range);
        if (isResized) continue;
        isResized = true;
        const headers = { "x-ms-blob-content-length": String(size) };
        await sendSigned(service, "PUT", "/vhds/resized.vhd?comp=properties", { headers });
        if (size === 8192) await writePages(service, "/vhds/resized.vhd", 7680, 8191);
      }

      const starts = found.map(({ start: first }) => first);
      expect(starts).toStrictEqual(size === 8192 ? [0, 1024, 3584, 7680] : [0]);
    }
  });

  test("a snapshot is read as it was, by its option or its URL", async () => {
    await createPageBlob(service, "/vhds/kept.vhd", 4096);
    await writePages(service, "/vhds/kept.vhd", 0, 511);
    const reply = await sendSigned(service, "PUT", "/vhds/kept.vhd?comp=snapshot");
    const snapshot = reply.headers.get("x-ms-snapshot") ?? "";
    await writePages(service, "/vhds/kept.vhd", 1024, 1535);
    await using disk = await open("/vhds/kept.vhd");
    await using kept = await open(`/vhds/kept.vhd?snapshot=${encodeURIComponent(snapshot)}`);

    expect(await collect(disk.pageRanges())).toHaveLength(2);
    expect(await collect(disk.pageRanges({ snapshot }))).toStrictEqual([{ start: 0, end: 511 }]);
    expect(await collect(kept.pageRanges())).toStrictEqual([{ start: 0, end: 511 }]);
  });

  test("unchanged: true refuses a blob that is written meanwhile, and another reading goes on", async () => {
    await createPageBlob(service, "/vhds/busy.vhd", 4096);
    for (const page of [0, 2]) await writePages(service, "/vhds/busy.vhd", page * 512, page * 512 + 511);
    await using disk = await open("/vhds/busy.vhd");
    const readWhileWritten = async (unchanged: boolean): Promise<number> => {
      let count = 0;
      for await (const _range of disk.pageRanges({ segmentBytes: 1024, unchanged }))
        if (count++ === 0) await writePages(service, "/vhds/busy.vhd", 3072, 3583);
      return count;
    };

    await expect(readWhileWritten(true)).rejects.toMatchObject({
      code: "blobs.changed",
      status: 412,
      message: expect.stringContaining("leave out unchanged: true") as string,
    });
    expect(await readWhileWritten(false)).toBe(3);
  });

  test("what is missing is refused with what to check", async () => {
    await createPageBlob(service, "/vhds/there.vhd", 512);
    await using missing = await open("/vhds/missing.vhd");
    await using elsewhere = await open("/nowhere/disk.vhd");

    await expect(collect(missing.pageRanges())).rejects.toMatchObject({
      code: "storage.blob-not-found",
      message: expect.stringMatching(
        /missing\.vhd, bytes 0 to 157286399: .*names of the container/s,
      ) as string,
    });
    await expect(collect(elsewhere.pageRanges())).rejects.toMatchObject({
      code: "storage.container-not-found",
    });
  });

  test("a key that is not the account's is refused without being named", async () => {
    await createPageBlob(service, "/vhds/closed.vhd", 512);
    const accountKey = Buffer.alloc(64, 1).toString("base64");
    const credential = { accountName: service.account, accountKey };
    await using disk = await openPageBlob(`${service.url}/vhds/closed.vhd`, { credential });

    const error = await collect(disk.pageRanges()).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ status: 403 });
    expect((error as StorageError).message).not.toContain(accountKey);
  });

  test("a signal ends the reading between two ranges", async () => {
    await createPageBlob(service, "/vhds/long.vhd", 4096);
    for (const page of [0, 2]) await writePages(service, "/vhds/long.vhd", page * 512, page * 512 + 511);
    await using disk = await open("/vhds/long.vhd");
    const { signal, abort } = abortable();
    const found: PageRange[] = [];
    const read = async (): Promise<void> => {
      for await (const range of disk.pageRanges({ signal })) {
        found.push(range);
        abort();
      }
    };

    await expect(read()).rejects.toMatchObject({ code: "storage.cancelled" });
    expect(found).toHaveLength(1);
  });
});

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test("a blob that is no page blob is refused with what has page ranges", async () => {
  const service = await azurite();
  const { url, account: accountName, key: accountKey } = service;
  await createPageBlob(service, "/vhds/other", 512);
  await sendSigned(service, "PUT", "/vhds/text.txt", {
    headers: { "x-ms-blob-type": "BlockBlob", "content-type": "text/plain" },
    body: Buffer.from("text"),
  });
  await using blob = await openPageBlob(`${url}/vhds/text.txt`, { credential: { accountName, accountKey } });

  await expect(collect(blob.pageRanges())).rejects.toMatchObject({
    code: "storage.invalid-blob-type",
    message: expect.stringContaining("Only page blobs have page ranges") as string,
  });
  await service.stop();
});

describe("a blob with more fragments than one call is answered for", () => {
  let server: PageBlobServer;
  let options: OpenPageBlobOptions;
  let url: string;
  const ranges = Array.from({ length: 1000 }, (_, i) => ({ start: i * 4096, end: i * 4096 + 511 }));
  beforeAll(async () => {
    server = await startPageBlobServer({ maxRangesPerResponse: 100 });
    options = { credential: { accountName: server.account, accountKey: server.key } };
    // Only the last of its segments has more than are answered for.
    const dense = Array.from({ length: 150 }, (_, i) => ({
      start: (8000 + 2 * i) * 512,
      end: (8000 + 2 * i) * 512 + 511,
    }));
    url = server.putPageBlob("vhds/fragmented.vhd", { size: 4096 * 1000, ranges });
    server.putPageBlob("vhds/dense end.vhd", { size: 4096 * 1100, ranges: [...ranges, ...dense] });
  });
  afterAll(() => server.close());

  test("fails as a whole, and is read in segments", async () => {
    await using disk = await openPageBlob(url, options);

    await expect(collect(disk.pageRanges())).rejects.toMatchObject({
      code: "storage.operation-timed-out",
      message: expect.stringContaining("Ask about less in each call with segmentBytes") as string,
    });
    expect(await collect(disk.pageRanges({ segmentBytes: 100 * 4096 }))).toStrictEqual(ranges);
  });

  test("a failing segment is asked about once, after what was read before it", async () => {
    await using disk = await openPageBlob(server.connectionString, { blob: "vhds/dense end.vhd" });
    const found: PageRange[] = [];
    const [error, calls] = await callsOf(async () => {
      try {
        for await (const range of disk.pageRanges({ segmentBytes: 100 * 4096 })) found.push(range);
        return undefined;
      } catch (reason) {
        return reason;
      }
    });

    expect(error).toMatchObject({ code: "storage.operation-timed-out" });
    expect(calls).toHaveLength(11);
    expect(found).toStrictEqual(ranges);
  });

  test("progress is reported after each answer", async () => {
    await using disk = await openPageBlob(url, options);
    const reports: string[] = [];

    await collect(
      disk.pageRanges({
        segmentBytes: 100 * 4096,
        from: 100 * 4096,
        onProgress: ({ done, size, calls }) => reports.push(`${calls}: ${done / 4096} of ${size / 4096}`),
      }),
    );

    expect(reports).toHaveLength(9);
    expect(reports[0]).toBe("1: 200 of 1000");
    expect(reports.at(-1)).toBe("9: 1000 of 1000");
  });
});

describe("answers of something else", () => {
  const size = { "x-ms-blob-content-length": "4096" };
  const responses: readonly (readonly [
    title: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ])[] = [
    ["without the blob's size", pageList([]), {}],
    ["with a size that is none", pageList([]), { "x-ms-blob-content-length": "large" }],
    ["with a range behind the blob's end", pageList([{ start: 4096, end: 4607 }]), size],
    ["with a range behind what was asked about", pageList([{ start: 8192, end: 8703 }]), size],
    ["with a range of half a page", pageList([{ start: 0, end: 255 }]), size],
    ["with a range that ends before it begins", pageList([{ start: 1024, end: 511 }]), size],
    [
      "with ranges that overlap",
      pageList([
        { start: 0, end: 1023 },
        { start: 512, end: 1535 },
      ]),
      size,
    ],
    ["that is a web page", "<html><body>Sign in</body></html>", size],
    ["that is cut off", pageList([{ start: 0, end: 511 }]).slice(0, -20), size],
  ];
  test.each(responses)(
    "an answer %s is refused, and none of its ranges given out",
    async (_title, body, headers) => {
      await using server = await answering((response) => response.writeHead(200, headers).end(body));
      const found: PageRange[] = [];
      const read = async (): Promise<void> => {
        for await (const range of server.disk.pageRanges({ segmentBytes: 8192 })) found.push(range);
      };

      await expect(read()).rejects.toMatchObject({
        code: "storage.malformed-response",
        message: expect.stringContaining("bytes 0 to 8191") as string,
      });
      expect(found).toStrictEqual([]);
    },
  );

  test("a call that takes longer than it may ends by itself, with what to do", async () => {
    await using server = await answering(() => undefined);

    await expect(collect(server.disk.pageRanges({ timeoutMs: 30 }))).rejects.toMatchObject({
      code: "storage.timeout",
      message: expect.stringContaining("timeoutMs") as string,
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toContain("timeout=1");
  });
});

interface AnsweringServer extends AsyncDisposable {
  readonly disk: PageBlob;
  readonly asked: readonly string[];
}

/** A server that answers everything in one way, and a blob that is said to be there. */
async function answering(reply: (response: ServerResponse) => unknown): Promise<AnsweringServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    reply(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { accountName, accountKey } = emulatorAccount;
  const disk = await openPageBlob(`http://127.0.0.1:${port}/${accountName}/vhds/disk.vhd`, {
    credential: { accountName, accountKey },
  });
  return {
    disk,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await disk.close();
    },
  };
}
