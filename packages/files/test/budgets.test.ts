import { openStorage, type TableStorage } from "@partita/core";
import { type CountedRequests, countRequests } from "@partita/test-support/count-requests";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Files, type StoredFile, tableFiles } from "../src/index.ts";

/** A file system that is in use. */
interface Place {
  readonly files: Files;
  /** The first version of `/small`, of many. */
  readonly oldest: StoredFile;
  /** `/log`, which has many blocks. */
  readonly log: StoredFile;
  /** A path that no other operation uses, of a file that is small, and of one that is not. */
  readonly small: string;
  readonly large: string;
}

type Operation = (place: Place) => Promise<unknown>;

const largeContent = new Uint8Array(100_000);

const opened = async (files: Files, path: string): Promise<StoredFile> => {
  const file = await files.open(path);
  if (file === undefined) throw new Error(`no ${path}`);
  return file;
};

const drained = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};

/** The most requests of each operation, for one version or block as for thousands. */
const budgets: readonly (readonly [name: string, most: number, operation: Operation])[] = [
  ["write a small file", 2, ({ files }) => files.write("/new", "text")],
  ["write a version of many", 2, ({ files }) => files.write("/small", "text")],
  ["write a small file over a large one", 3, ({ files, large }) => files.write(large, "text")],
  ["write a large file", 4, ({ files }) => files.write("/new large", largeContent)],
  ["write a large file over another", 5, ({ files, large }) => files.write(large, largeContent)],
  ["create a file", 4, ({ files }) => files.create("/new log")],
  ["create a file over another", 5, ({ files, large }) => files.create(large)],
  ["open a file", 1, ({ files }) => files.open("/small")],
  ["open a file that does not exist", 1, ({ files }) => files.open("/none")],
  ["open a version", 1, ({ files }) => files.open("/small", { version: 1 })],
  ["open the version of now", 1, ({ files }) => files.at("/small", new Date())],
  ["open and read a small file", 2, async ({ files }) => (await opened(files, "/small")).text()],
  ["open and read a log", 4, async ({ files }) => (await opened(files, "/log")).text()],
  ["list the versions of a path", 2, ({ files }) => files.versions("/small")],
  ["list files", 1, ({ files }) => drained(files.list())],
  ["copy a small file", 4, ({ files, small }) => files.copy(small, "/copy")],
  ["copy a large file", 6, ({ files, large }) => files.copy(large, "/large copy")],
  ["move a small file", 8, ({ files, small }) => files.move(small, "/moved")],
  ["delete a small file", 2, ({ files, small }) => files.delete(small)],
  ["delete a large file", 3, ({ files, large }) => files.delete(large)],
  [
    "change metadata",
    3,
    async ({ files }) => (await opened(files, "/small")).updateMetadata({ draft: true }),
  ],
  ["change metadata of an older version", 3, ({ oldest }) => oldest.updateMetadata({ draft: true })],
  ["append to a file", 1, ({ log }) => log.append("text")],
  ["open a file and append to it", 3, async ({ files }) => (await opened(files, "/log")).append("text")],
  ["write a block", 3, ({ log }) => log.writeBlock(0n, "text")],
  ["delete a block", 3, ({ log }) => log.deleteBlock(1n)],
  ["read a block", 1, ({ log }) => log.readBlock(0n)],
  ["read the first block", 1, ({ log }) => log.readHead()],
  ["delete the first block", 2, ({ log }) => log.deleteHead()],
  [
    "lease the first block and delete it",
    5,
    async ({ log }) => (await log.leaseHead({ for: 60_000 }))?.done(),
  ],
  ["count the blocks", 1, ({ log }) => log.blockCount()],
  ["count the bytes", 1, ({ log }) => log.size()],
  ["count the blocks of a range", 2, ({ log }) => log.blockCount({ from: 1n })],
  ["estimate the bytes of a range", 2, ({ log }) => log.estimate({ from: 1n })],
  ["split a file", 2, ({ log }) => log.splits(4)],
];

describe.each([1, 1000])("over %d versions and blocks", (many) => {
  let storage: TableStorage;
  let counted: CountedRequests;
  let place: Place;
  let paths = 0;
  beforeAll(async () => {
    storage = await openStorage("memory:");
    counted = countRequests(storage);
    const files = tableFiles(counted.storage, { name: "Docs" });
    const oldest = await files.write("/small", "text");
    for (let version = 2; version <= many; version++) await files.write("/small", "text");
    const log = await tableFiles(counted.storage, { name: "Docs", blockSize: 100 }).create("/log");
    await using writer = log.writer();
    for (let block = 0; block < many; block++) await writer.write("x".repeat(100));
    place = { files, oldest, log, small: "", large: "" };
  });
  afterAll(() => storage.close());

  test.each(budgets)("to %s sends at most %d requests", async (_name, most, operation) => {
    const [small, large] = [`/small ${++paths}`, `/large ${paths}`];
    await place.files.write(small, "text");
    await place.files.write(large, largeContent);

    const requests = await counted.during(() => operation({ ...place, small, large }));

    expect(requests).toBeLessThanOrEqual(most);
    expect(requests).toBeGreaterThan(0);
  });
});
