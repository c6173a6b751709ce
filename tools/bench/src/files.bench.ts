// Files: a large file written from a stream and read as a stream, compared with plain BLOBs of the same size
// in SQLite with the same settings and transactions; appends of 1 KiB, compared with the same hand-written
// transaction on the same store; and the memory for a file of 1 GiB.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { openStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { tableFiles, type StoredFile } from "@partita/files";
import { compare } from "./compare.ts";
import { type LargeWork, partsOf, peakOfLargeFile, readIntoOwnMemory, readParts } from "./large-file.ts";
import { type MeasuredContender, reportRow } from "./report-row.ts";

const folder = await mkdtemp(join(tmpdir(), "partita-files-"));
const mebibyte = 1024 ** 2;
const fileBytes = 256 * mebibyte;
const blockBytes = 256 * 1024;
const blocksOfFile = fileBytes / blockBytes;
/** Blocks of one transaction of `write`. */
const blocksAtOnce = 11;

const database = new DatabaseSync(join(folder, "bare.db"));
database.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE blocks (id INTEGER PRIMARY KEY, bytes BLOB)",
);
const insert = database.prepare("INSERT INTO blocks VALUES (?, ?)");
const select = database.prepare("SELECT bytes FROM blocks WHERE id < ? ORDER BY id");

let id = 0;

async function writeBare(): Promise<void> {
  let block = new Uint8Array(blockBytes);
  let filled = 0;
  for await (const part of partsOf(fileBytes)) {
    block.set(part, filled);
    filled += part.byteLength;
    if (filled < blockBytes) continue;
    if (!database.isTransaction) database.exec("BEGIN");
    insert.run(id++, block);
    if (id % blocksAtOnce === 0 || id % blocksOfFile === 0) database.exec("COMMIT");
    block = new Uint8Array(blockBytes);
    filled = 0;
  }
}

function readBare(): void {
  let read = 0;
  for (const { bytes } of select.iterate(blocksOfFile)) read += (bytes as Uint8Array).byteLength;
  if (read !== fileBytes) throw new Error(`Read ${read} bytes.`);
}

await using storage = await openStorage(`file:${join(folder, "files.db")}`);
const files = tableFiles(storage, { blockSize: blockBytes });

async function readFile(read: (file: StoredFile) => Promise<number>): Promise<void> {
  const length = await read((await files.open("/large/1")) as StoredFile);
  if (length !== fileBytes) throw new Error(`Read ${length} bytes.`);
}

let written = 0;
const large = { rounds: 3, sampleMs: 1, warmMs: 1, units: fileBytes / mebibyte };
await compare({
  ...large,
  name: "file, write",
  title: "A file of 256 MiB written from a stream, for each MiB",
  baseline: { name: "node:sqlite by hand, BLOBs of 256 KiB, 11 in a transaction", run: writeBare },
  ours: {
    name: "Partita: files.write(path, stream)",
    target: { atMost: 2 },
    run: () => files.write(`/large/${++written}`, partsOf(fileBytes)),
  },
});
await compare({
  ...large,
  name: "file, read",
  title: "A file of 256 MiB read as a stream, for each MiB",
  baseline: { name: "node:sqlite by hand, row by row", run: readBare },
  ours: [
    {
      name: "Partita: file.stream(), into memory of the reader's own",
      target: { atMost: 2 },
      run: () => readFile(readIntoOwnMemory),
    },
    { name: "Partita: file.stream(), part by part", target: { atMost: 2 }, run: () => readFile(readParts) },
  ],
});

const small = new Uint8Array(1024).fill(7);

/**
 * Appends like `append`, with keys of the same length, but without handling concurrent writers and errors.
 */
async function appendByHand(count: number): Promise<void> {
  const partition = `.~log.~${++written}!0000000001`;
  await storage.createTable("ByHand").catch(() => undefined);
  const state: StoredEntity = {
    PartitionKey: partition,
    RowKey: "!",
    Kind: "state",
    State: "open",
    ...next(0),
  };
  let { etag = "*" } = await storage.write("ByHand", { type: "insert", entity: state });
  let history: string[] = [];
  for (let i = 0; i < count; i++) {
    const _m = randomBytes(12).toString("base64url");
    const entity = {
      PartitionKey: partition,
      RowKey: String(i).padStart(19, "0"),
      Kind: "block",
      ...bytesOf(small),
      _m,
    };
    const merge: StoredEntity = {
      PartitionKey: partition,
      RowKey: "!",
      ...next(i + 1),
      _m,
      _h: history.join(" "),
    };
    history = [_m, ...history.slice(0, 7)];
    const [changed] = await storage.transact("ByHand", [
      { type: "merge", entity: merge, etag },
      { type: "insert", entity },
    ]);
    etag = changed?.etag ?? "*";
  }
}

const next = (n: number) => ({ Next: String(n), "Next@odata.type": "Edm.Int64" });
const bytesOf = (bytes: Uint8Array) => ({
  Size: bytes.byteLength,
  Crc: String(crc32(bytes)),
  "Crc@odata.type": "Edm.Int64",
  B0: Buffer.from(bytes).toString("base64"),
  "B0@odata.type": "Edm.Binary",
});

const appends = 200;
await compare({
  name: "file, append",
  title: "Blocks of 1 KiB appended one by one, for each",
  rounds: 9,
  units: appends,
  warmMs: 1500,
  baseline: { name: "the same transactions by hand, same store", run: () => appendByHand(appends) },
  ours: {
    name: "Partita: file.append(bytes)",
    target: { atMost: 1.3 },
    run: async () => {
      const file = await files.create(`/log/${++written}`);
      for (let i = 0; i < appends; i++) await file.append(small);
    },
  },
});

const gibibyte = 1024 ** 3;
reportRow({
  name: "file, memory",
  title:
    "Most memory while a file of 1 GiB is written and read as a stream, beyond that after a file of 4 MiB",
  unit: "bytes",
  counted: "resident memory of a process of its own",
  contenders: [
    await measured("written", "write"),
    await measured("read into memory of the reader's own", "read into own memory"),
    await measured("read part by part", "read parts"),
  ],
});
await rm(folder, { recursive: true });

async function measured(name: string, work: LargeWork): Promise<MeasuredContender> {
  const peak = await peakOfLargeFile(work, join(folder, "large.db"), gibibyte);
  return { name, role: "ours", samples: [peak], target: { most: 32 * mebibyte } };
}
