import { noise } from "@partita/test-support/noise";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  binary,
  defineEntity,
  defineKind,
  int32,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import { verifyDatabase } from "@partita/maintenance";
import { packedSumOf } from "../../../src/internal.ts";
import type { RowBody } from "../../../src/storage/row-reader.ts";
import { readRow, readRows } from "../../../src/storage/store-engine.ts";

class Picture extends defineEntity({
  table: "Pictures",
  partitionKey: { album: text() },
  rowKey: { name: text() },
  properties: {
    stars: int32(),
    image: binary(),
    preview: binary().optional(),
    title: text(),
  },
}) {}

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "pictures.db");
});
afterEach(() => rm(folder, { recursive: true }));

/** The same rows, as a program reads them whose property has become text. */
class PictureText extends defineEntity({
  table: "Pictures",
  partitionKey: { album: text() },
  rowKey: { name: text() },
  properties: {
    stars: int32(),
    image: text().alsoReads("Edm.Binary"),
    preview: text().alsoReads("Edm.Binary").optional(),
    title: text(),
  },
}) {}

const lengths = [0, 1, 4095, 4096, 4097, 65_536];
/** More rows than are parsed before a scanner is made for their class. */
const count = 240;
const pictures = Array.from({ length: count }, (_, i) => {
  const image = noise(lengths[i % lengths.length] as number, i);
  const preview = noise(lengths[(i >> 3) % lengths.length] as number, -i);
  return { album: "a", name: String(i).padStart(4, "0"), stars: i % 5, image, preview, title: `*0,${i}` };
});

async function fill(storage: TableStorage): Promise<void> {
  await storage.createTable("Pictures");
  const context = new TableContext(storage);
  for (const each of pictures) context.create(Picture, each);
  await context.saveChanges();
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const shown = ({ image, preview = new Uint8Array(), title }: Shown): string[] => [
  base64(image),
  base64(preview),
  title,
];
type Shown = {
  readonly image: Uint8Array;
  readonly preview?: Uint8Array | undefined;
  readonly title: string;
};
const nameOf = (i: number): string => String(i).padStart(4, "0");

describe.each(["memory:", "file:"])("over %s", (kind) => {
  let storage: TableStorage;
  beforeEach(async () => {
    storage = await openStorage(kind === "file:" ? `file:${path}` : kind, { durability: "normal" });
    await fill(storage);
  });
  afterEach(() => storage.close());

  test.each(["noTracking", "appendOnly"] as const)("bytes of every length come back, %s", async (option) => {
    const query = new TableContext(storage).query(Picture).where({ album: "a" }).mergeOption(option);
    for (let round = 0; round < 2; round++) {
      const found = await query.toArray();
      expect(found.map(shown)).toEqual(pictures.map(shown));
      // They are nobody else's: what others read of the row does not show through.
      for (const { image } of found) expect(image.buffer.byteLength).toBe(image.byteLength);
    }
  });

  test.each(["noTracking", "appendOnly"] as const)(
    "text that is stored as bytes is their base64, %s",
    async (option) => {
      const query = new TableContext(storage).query(PictureText).where({ album: "a" }).mergeOption(option);
      for (let round = 0; round < 2; round++) {
        const found = await query.toArray();
        expect(found.map(({ image }) => image)).toEqual(pictures.map(({ image }) => base64(image)));
      }
    },
  );

  test("rows are the service's JSON for those who read them as they are stored", async () => {
    const { entities } = await storage.query("Pictures", {});
    for (const [i, row] of entities.entries())
      expect(row).toMatchObject({
        "image@odata.type": "Edm.Binary",
        image: base64(pictures[i]?.image as Uint8Array),
        preview: base64(pictures[i]?.preview as Uint8Array),
        title: `*0,${i}`,
      });
    let body: unknown;
    const readBody = ({ bytes }: { bytes: Uint8Array }): undefined => {
      body = JSON.parse(Buffer.from(bytes).toString());
    };
    await readRow(storage, "Pictures", { partitionKey: "a", rowKey: nameOf(5) }, { readBody });
    expect(body).toMatchObject({ image: base64(pictures[5]?.image as Uint8Array), title: "*0,5" });
  });

  test("a projection and a filter see them", async () => {
    const select = ["preview", "stars"];
    const { entities } = await storage.query("Pictures", { select });
    for (const [i, row] of entities.entries()) {
      expect(row["preview"]).toBe(base64(pictures[i]?.preview as Uint8Array));
      expect(Object.hasOwn(row, "image")).toBe(false);
    }
    for (const i of [3, 4, 5]) {
      const value = base64(pictures[i]?.image as Uint8Array);
      const filter = { op: "eq", name: "image", literal: { edm: "Edm.Binary", value } } as const;
      const found = await storage.query("Pictures", { filter });
      expect(found.entities.map(({ RowKey }) => RowKey)).toEqual([nameOf(i)]);
    }
  });

  test("a change of another property keeps them, and changed bytes are stored", async () => {
    const [keep, change] = [nameOf(3), nameOf(5)];
    const image = noise(5000);
    const context = new TableContext(storage);
    for (const name of [keep, change]) {
      const picture = (await context.find(Picture, { album: "a", name })) as Picture;
      picture.stars = 9;
      if (name === change) picture.image[4000] = (picture.image[4000] as number) ^ 1;
    }
    await context.saveChanges();
    const replaced = (await context.find(Picture, { album: "a", name: nameOf(11) })) as Picture;
    replaced.image = image;
    await context.saveChanges({ update: "replace" });

    const fresh = new TableContext(storage);
    const read = async (name: string): Promise<Picture> =>
      (await fresh.find(Picture, { album: "a", name })) as Picture;
    expect(await read(keep)).toMatchObject({ stars: 9, image: pictures[3]?.image });
    const changed = Uint8Array.from(pictures[5]?.image as Uint8Array);
    changed[4000] = (changed[4000] as number) ^ 1;
    expect(await read(change)).toMatchObject({ stars: 9, image: changed, preview: pictures[5]?.preview });
    expect((await read(nameOf(11))).image).toEqual(image);
  });
});

/** The same rows, whose bytes are left where they were read. */
class PictureInPlace extends defineEntity({
  table: "Pictures",
  partitionKey: { album: text() },
  rowKey: { name: text() },
  properties: {
    stars: int32(),
    image: binary({ inPlace: true }),
    preview: binary({ inPlace: true }).optional(),
    title: text(),
  },
}) {}

describe.each(["memory:", "file:"])("in place, over %s", (kind) => {
  let storage: TableStorage;
  beforeEach(async () => {
    storage = await openStorage(kind === "file:" ? `file:${path}` : kind, { durability: "normal" });
    await fill(storage);
  });
  afterEach(() => storage.close());

  test.each(["noTracking", "appendOnly"] as const)("bytes of every length come back, %s", async (option) => {
    const query = new TableContext(storage).query(PictureInPlace).where({ album: "a" }).mergeOption(option);
    for (let round = 0; round < 2; round++)
      expect((await query.toArray()).map(shown)).toEqual(pictures.map(shown));
  });

  test("long ones share the memory of their row, whose sum is known there", async () => {
    const query = new TableContext(storage)
      .query(PictureInPlace)
      .where({ album: "a" })
      .mergeOption("noTracking");
    // Until a scanner is made, rows are parsed.
    await query.toArray();
    for (const { image, preview = new Uint8Array() } of await query.toArray()) {
      const isLong = image.length >= 4096;
      expect(image.buffer.byteLength > image.length).toBe(isLong);
      expect(packedSumOf(image) !== undefined).toBe(isLong);
      if (!isLong) continue;
      const isNext = preview.length >= 4096;
      expect(preview.buffer === image.buffer).toBe(isNext);
      const data = isNext ? Buffer.concat([image, preview]) : image;
      expect(packedSumOf(image)).toEqual({ length: data.length, crc32: crc32(data) });
      expect(packedSumOf(preview)).toBe(undefined);
    }
  });

  test("a change of them is seen, and stored; what was not changed is not written", async () => {
    const context = new TableContext(storage);
    await context.query(PictureInPlace).where({ album: "a" }).toArray();
    const picture = (await context.find(PictureInPlace, { album: "a", name: nameOf(5) })) as PictureInPlace;
    expect(context.pendingChanges()).toEqual([]);
    picture.image[4000] = (picture.image[4000] as number) ^ 1;
    await context.saveChanges();

    const image = Uint8Array.from(pictures[5]?.image as Uint8Array);
    image[4000] = (image[4000] as number) ^ 1;
    const fresh = await new TableContext(storage).find(Picture, { album: "a", name: nameOf(5) });
    expect(fresh).toMatchObject({ image, preview: pictures[5]?.preview });
  });
});

test("long ones of new entities are stored from where they are", async () => {
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Pictures");
  const context = new TableContext(storage);
  const added = pictures.slice(0, 60).map((each) => context.create(PictureInPlace, each));
  await context.saveChanges();
  expect(context.pendingChanges()).toEqual([]);
  const found = await new TableContext(storage).query(Picture).where({ album: "a" }).toArray();
  expect(found.map(shown)).toEqual(pictures.slice(0, 60).map(shown));
  // Of the same length, and of the same CRC-32.
  const framed = (fill: number): Uint8Array => {
    const frame = Buffer.alloc(10_000, fill);
    frame.writeUInt32LE(crc32(frame.subarray(0, -4)), 9996);
    return new Uint8Array(frame);
  };
  expect(crc32(framed(1))).toBe(crc32(framed(2)));
  const picture = added[5] as PictureInPlace;
  for (const image of [framed(1), framed(2), Uint8Array.from(framed(2))]) {
    picture.image = image;
    await context.saveChanges();
    const again = await new TableContext(storage).find(Picture, { album: "a", name: nameOf(5) });
    expect(Buffer.compare(again?.image as Uint8Array, image)).toBe(0);
  }
  expect(context.pendingChanges()).toEqual([]);
});

test("where their bytes were changed or given away, nobody says what is stored", async () => {
  await using storage = await openStorage(`file:${path}`);
  await storage.createTable("Pictures");
  const context = new TableContext(storage);
  const create = (i: number): PictureInPlace =>
    context.create(PictureInPlace, { ...(pictures[i] as (typeof pictures)[number]), image: large.slice() });
  const large = Uint8Array.from({ length: 20_000 }, (_, i) => i);
  const [changed, given] = [create(0), create(1)];
  await context.saveChanges();

  changed.image.fill(7);
  expect(() => context.discard(changed)).toThrow(expect.objectContaining({ code: "edm.changed-in-place" }));
  // It is a change, though.
  await context.saveChanges();
  const stored = await new TableContext(storage).find(Picture, { album: "a", name: nameOf(0) });
  expect(Buffer.compare(stored?.image as Uint8Array, Buffer.alloc(20_000, 7))).toBe(0);

  structuredClone(given.image.buffer, { transfer: [given.image.buffer as ArrayBuffer] });
  expect(() => context.discard(given)).toThrow(/Picture.*\.image were changed in place/);
  given.image = large;
  await context.saveChanges();
  const again = await new TableContext(storage).find(Picture, { album: "a", name: nameOf(1) });
  expect(Buffer.compare(again?.image as Uint8Array, large)).toBe(0);
  expect(context.pendingChanges()).toEqual([]);
});

test("they take the room that they have, not that of base64", async () => {
  await using storage = await openStorage(`file:${path}`);
  await fill(storage);
  for (const { body, name } of bodies()) {
    const { image, preview } = pictures[Number(name)] as (typeof pictures)[number];
    const packed = [image, preview].filter(({ length }) => length >= 4096);
    const rest = [image, preview].filter(({ length }) => length < 4096);
    const size = (all: Uint8Array[]): number => all.reduce((sum, { length }) => sum + length, 0);
    expect(body.length).toBeLessThan(size(packed) + 1.4 * size(rest) + 200);
  }
});

test("a damaged byte of them is noticed", async () => {
  {
    await using storage = await openStorage(`file:${path}`);
    await fill(storage);
  }
  const damaged = [nameOf(3), nameOf(4), nameOf(5)];
  const raw = new DatabaseSync(path);
  for (const { body, name } of bodies())
    if (damaged.includes(name)) {
      const at = [body.length - 1, body.length - 4, body.length - 1000][damaged.indexOf(name)] as number;
      body[at] = (body[at] as number) ^ 4;
      raw.prepare("UPDATE rows1 SET body = ? WHERE rk = ?").run(body, name);
    }
  raw.close();
  await using storage = await openStorage(`file:${path}`);
  const key = (rowKey: string): { partitionKey: string; rowKey: string } => ({ partitionKey: "a", rowKey });
  for (const name of damaged)
    await expect(storage.get("Pictures", key(name))).rejects.toMatchObject({ code: "storage.damaged" });
  expect(await storage.get("Pictures", key(nameOf(6)))).toBeDefined();
  const { findings } = await verifyDatabase(`file:${path}`);
  const rows = findings.filter(({ check }) => check === "row");
  expect(rows.map(({ key: found }) => found?.rowKey)).toEqual(damaged);
});

/** The bodies of all rows, as they are in the file. */
function bodies(): { readonly name: string; readonly body: Uint8Array }[] {
  const raw = new DatabaseSync(path);
  const rows = raw.prepare("SELECT rk AS name, body FROM rows1 ORDER BY rk").all();
  raw.close();
  return rows as unknown as ReturnType<typeof bodies>;
}

class Piece extends defineEntity({
  table: "Pieces",
  partitionKey: { file: text() },
  rowKey: { id: text() },
  properties: { bytes: binary() },
}) {}
class Block extends defineKind(Piece, { kind: "Block", properties: {} }) {}
class Other extends defineKind(Piece, { kind: "Other", properties: {} }) {}

test("rows of a kind go to a reader with their packed bytes, as SQL knows which kind they are", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Pieces");
  const context = new TableContext(storage);
  for (const id of ["a", "b", "c"])
    context.create(id === "b" ? Other : Block, { file: "p", id, bytes: noise(50_000) });
  await context.saveChanges();
  const seen: string[] = [];
  const readBody = ({ rowKey, packed }: RowBody): undefined => {
    if (packed !== undefined) seen.push(rowKey);
  };
  const filter = { op: "eq", name: "Kind", literal: { edm: "Edm.String", value: "Block" } } as const;
  await readRows(storage, "Pieces", { filter }, { readBody, readList: () => undefined });

  expect(seen).toEqual(["a", "c"]);
});
