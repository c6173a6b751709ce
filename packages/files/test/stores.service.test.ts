import { openStorage, type TableStorage } from "@partita/core";
import { startAzurite } from "@partita/test-support/azurite";
import { temporaryFolder } from "@partita/test-support/temporary-folder";
import { startTableServer } from "@partita/server";
import { describe, expect, test } from "vitest";
import { tableFiles, type StoredFile } from "../src/index.ts";

/** A store, and what ends with it. */
interface Place extends AsyncDisposable {
  readonly storage: TableStorage;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async file() {
    const folder = await temporaryFolder();
    const storage = await openStorage(`file:${folder.file("files.db")}`);
    return closing(storage, () => folder[Symbol.asyncDispose]());
  },
  async emulator() {
    const azurite = await startAzurite();
    return closing(await openStorage(azurite.connectionString), () => azurite.stop());
  },
  async server() {
    const server = await startTableServer();
    return closing(await openStorage(server.connectionString), () => server[Symbol.asyncDispose]());
  },
};

const closing = (storage: TableStorage, end: () => PromiseLike<unknown>): Place => ({
  storage,
  async [Symbol.asyncDispose]() {
    await storage.close();
    await end();
  },
});

const reclaimed = { keepDeletedMs: 0 };

/** Bytes that differ from place to place. */
const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255);

describe.each(Object.entries(places))("over a %s", (_name, open) => {
  test("files of hostile names are written, read, listed, moved, deleted and reclaimed", async () => {
    await using place = await open();
    let now = Date.UTC(2026, 10, 23);
    const clock = { now: () => now, wait: () => Promise.resolve() };
    const options = { name: "Docs", zones: { "/": reclaimed, "/scratch": reclaimed }, buckets: 4, clock };
    const files = tableFiles(place.storage, options);
    const names = [
      "/a b/ü€😀",
      "/scratch/x",
      "/q?x=1&y='%2F",
      '/[z]~!"#',
      "/back\\slash",
      "/\u0001\u007f",
      "/__proto__",
    ];
    const large = bytesOf(983_040);
    for (const name of names) {
      const file = await files.create(name, { metadata: { name } });
      await file.append("small");
      await file.append(large);
    }

    const listed: string[] = [];
    for await (const { path, metadata } of files.list()) {
      listed.push(path);
      expect(metadata).toEqual({ name: path });
    }
    expect(listed).toEqual(names.toSorted());
    const moved = await files.move("/a b/ü€😀", "/scratch/moved");
    expect(Buffer.compare(await moved.bytes(), Buffer.concat([Buffer.from("small"), large]))).toBe(0);
    expect(await files.deleteAll("/", "0")).toBe(names.length);
    now += 120_000;
    expect(await files.reclaim()).toEqual({ inspected: 8, reclaimed: 8, blocks: 16 });
    expect((await place.storage.query("DocsBlocks", {})).entities).toEqual([]);
  });

  test("a stream of many transactions is read as it was written", async () => {
    await using place = await open();
    const files = tableFiles(place.storage, { blockSize: 100_000 });
    const content = bytesOf(7_654_321);
    const parts = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < content.length; at += 77_777) yield content.subarray(at, at + 77_777);
    };
    const progress: number[] = [];
    const file = await files.write("/large", parts(), { onProgress: (bytes) => progress.push(bytes) });
    expect(progress).toEqual([2_900_000, 5_800_000, content.length]);
    const read: Uint8Array[] = [];
    for await (const bytes of file.stream()) read.push(bytes);
    expect(Buffer.compare(Buffer.concat(read), content)).toBe(0);
    expect(await file.size()).toBe(content.length);
    expect(await file.blockCount()).toBe(77);
  });

  test("appends of several writers are distinct and whole, and rivals take each block once", async () => {
    await using place = await open();
    const files = tableFiles(place.storage);
    await files.create("/log");
    const handles = (await Promise.all([1, 2, 3].map(() => files.open("/log")))) as StoredFile[];
    const ids = await Promise.all(
      handles.map(async (file, writer) => {
        const own: bigint[] = [];
        for (let i = 0; i < 8; i++) own.push(await file.append(`${writer}.${i} `));
        return own;
      }),
    );
    expect(ids.flat().toSorted((a, b) => Number(a - b))).toEqual(
      Array.from({ length: 24 }, (_, i) => BigInt(i)),
    );
    const taken = await Promise.all(
      handles.map(async (file) => {
        const own: string[] = [];
        for (let head = await file.deleteHead(); head !== undefined; head = await file.deleteHead())
          own.push(Buffer.from(head.bytes).toString());
        return own;
      }),
    );
    expect(taken.flat().toSorted()).toEqual(
      [0, 1, 2].flatMap((writer) => Array.from({ length: 8 }, (_, i) => `${writer}.${i} `)),
    );
  });

  test("rivals lease each block once, and a block that is not done is leased again", async () => {
    await using place = await open();
    let now = Date.UTC(2026, 10, 23);
    const wait = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));
    const files = tableFiles(place.storage, { clock: { now: () => now, wait } });
    const queue = await files.create("/queue");
    for (let i = 0; i < 12; i++) await queue.append(String(i));
    const work = async (isKilled: boolean): Promise<string[]> => {
      const own = (await files.open("/queue")) as StoredFile;
      const taken: string[] = [];
      for (;;) {
        const lease = await own.leaseHead({ for: 1000 });
        if (lease === undefined) return taken;
        taken.push(Buffer.from(lease.block.bytes).toString());
        if (!isKilled) await lease.done();
        else if (taken.length === 2) return taken;
      }
    };
    const killed = await work(true);
    expect(killed).toEqual(["0", "1"]);
    const taken = (await Promise.all([1, 2, 3].map(() => work(false)))).flat();
    expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 10 }, (_, i) => String(i + 2)),
    );
    now += 1000;
    expect((await work(false)).toSorted()).toEqual(killed);
    expect([await queue.blockCount(), await queue.size()]).toEqual([0, 0]);
    const all = await files.create("/all");
    await queue.append("more");
    for (let i = 0; i < 2; i++) await all.appendFrom(queue, { resume: true });
    expect(await all.text()).toBe("more");
    await files.destroy({ confirm: "Partita" });
    expect(await files.open("/queue")).toBeUndefined();
  });
});
