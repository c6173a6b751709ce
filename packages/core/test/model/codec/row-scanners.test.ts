import { afterEach, expect, test, vi } from "vitest";
import { kindChooser } from "../../../src/model/codec/choose-kind.ts";
import { rowReaderFor } from "../../../src/model/codec/scan/row-reader.ts";
import type { RowReader } from "../../../src/storage/row-reader.ts";
import { defineEntity, type EntityClass, int32, text } from "../../../src/index.ts";
import { embedded } from "../../../src/models.ts";

afterEach(() => void vi.restoreAllMocks());

const noteOf = (): EntityClass =>
  class Note extends defineEntity({
    table: "Notes",
    partitionKey: { day: text() },
    rowKey: { id: text() },
    properties: { n: int32(), title: text().optional() },
  }) {};

const readerOf = (entityClass: EntityClass): RowReader =>
  rowReaderFor(kindChooser([entityClass]), true) as RowReader;

const bodyOf = (row: object): Parameters<RowReader["readBody"]>[0] => ({
  partitionKey: "p",
  rowKey: "r",
  etag: "e",
  timestamp: "2026-07-01T00:00:00Z",
  bytes: Buffer.from(JSON.stringify(row)),
});

test("rows that no scanner reads are parsed here only as long as something may be learned of them", () => {
  const reader = readerOf(noteOf());
  const unusual = bodyOf({ n: 1, other: true });
  const parse = vi.spyOn(JSON, "parse");
  for (let i = 0; i < 10_000; i++) expect(reader.readBody(unusual)).toBeUndefined();

  expect(parse).toHaveBeenCalledTimes(2000 - 32 + 8000 / 16);
});

test("the first rows of a short program are parsed once", () => {
  const reader = readerOf(noteOf());
  const usual = bodyOf({ n: 1, title: "one" });
  const parse = vi.spyOn(JSON, "parse");
  for (let i = 0; i < 32; i++) expect(reader.readBody(usual)).toBeUndefined();

  expect(parse).not.toHaveBeenCalled();
});

test("a scanner that is compiled while a query runs reads its next rows", () => {
  const reader = readerOf(noteOf());
  const usual = bodyOf({ n: 1, title: "one" });
  const taken = Array.from({ length: 300 }, () => reader.readBody(usual) !== undefined);

  expect(taken.indexOf(true)).toBe(200);
  expect(taken.lastIndexOf(false)).toBe(199);
});

test("one is compiled sooner for long rows, since each of them takes long to parse", () => {
  const takenAfter = (title: string): number => {
    const reader = readerOf(noteOf());
    const row = bodyOf({ n: 1, title });
    return Array.from({ length: 300 }, () => reader.readBody(row) !== undefined).indexOf(true);
  };

  expect(takenAfter("x".repeat(4096 * 4))).toBe(42);
  expect(takenAfter("x".repeat(30_000))).toBe(24);
});

test("packed bytes count, and nobody needs them as base64 to learn of a row", () => {
  const reader = readerOf(noteOf());
  const packed = { json: bodyOf({ n: 1, title: "one" }).bytes, data: new Uint8Array(1024 ** 2) };
  const row = {
    ...bodyOf({}),
    packed,
    get bytes(): Uint8Array {
      throw new Error("Somebody wants base64.");
    },
  };

  expect(reader.readBody(row)).toBeUndefined();
  expect(reader.readBody(row)).toBeDefined();
});

test("the leaves of embedded objects are scanned, whatever their types", () => {
  class Geo {
    x!: number;
    label!: string;
  }
  class Stop extends defineEntity({
    table: "Stops",
    partitionKey: { line: text() },
    rowKey: { id: text() },
    properties: { geo: embedded(Geo, { x: int32(), label: text() }) },
  }) {}
  const reader = readerOf(Stop);
  const row = bodyOf({ geo_x: 7, geo_label: "a" });
  const found = Array.from({ length: 300 }, () => reader.readBody(row)).at(-1) as
    | { readonly entity: unknown }
    | undefined;

  expect(found?.entity).toMatchObject({ geo: { x: 7, label: "a" } });
});
