import { crc32 } from "node:zlib";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect } from "vitest";
import { bodyOf, crcOf } from "../../../src/stores/embedded/row-body.ts";
import { joinedCrc32 } from "../../../src/stores/embedded/joined-crc32.ts";
import {
  checksumAfter,
  checksumOf as checksumIn,
  checksumOfTable,
} from "../../../src/stores/embedded/row-checksum.ts";

const text = fc.string({ unit: "grapheme", maxLength: 300 });
const column = fc.string({ unit: "grapheme", maxLength: 12 });
const micros = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const things = checksumOfTable(1, "Things");
const checksumOf = (
  pk: string,
  rk: string,
  ts: number,
  body: string | Uint8Array,
  ahead: number,
  table = things,
): number => checksumIn(table, pk, rk, ts, bodyOf(body), ahead);

const row = fc.tuple(column, column, micros, text, micros);

propertyTest.prop([row])("text and its bytes in UTF-8 have one checksum", ([pk, rk, ts, body, ahead]) => {
  expect(checksumOf(pk, rk, ts, Buffer.from(body), ahead)).toBe(checksumOf(pk, rk, ts, body, ahead));
});

propertyTest.prop([row, fc.nat(), fc.integer({ min: 1, max: 255 })])(
  "each other byte of a body changes the checksum",
  ([pk, rk, ts, body, ahead], place, change) => {
    const bytes = Buffer.from(`${body}!`);
    const before = checksumOf(pk, rk, ts, bytes, ahead);
    const at = place % bytes.length;
    bytes.writeUInt8(bytes.readUInt8(at) ^ change, at);

    expect(checksumOf(pk, rk, ts, bytes, ahead)).not.toBe(before);
  },
);

const otherUnit = (value: string, place: number, change: number): string => {
  const units = Array.from(`${value}!`, (_, i) => `${value}!`.charCodeAt(i));
  const at = place % units.length;
  return String.fromCharCode(...units.map((unit, i) => (i === at ? unit ^ change : unit)));
};

propertyTest.prop([row, fc.nat(), fc.integer({ min: 1, max: 0xffff })])(
  "each other character of a key, and each other bit of a number, changes the checksum",
  ([pk, rk, ts, body, ahead], place, change) => {
    // Bits that a number holds exactly, on either side of the 32nd.
    const otherBit = (value: number): number => Number(BigInt(value) ^ (1n << BigInt(place % 53)));
    const before = checksumOf(`${pk}!`, `${rk}!`, ts, body, ahead);

    expect(checksumOf(otherUnit(pk, place, change), `${rk}!`, ts, body, ahead)).not.toBe(before);
    expect(checksumOf(`${pk}!`, otherUnit(rk, place, change), ts, body, ahead)).not.toBe(before);
    expect(checksumOf(`${pk}!`, `${rk}!`, otherBit(ts), body, ahead)).not.toBe(before);
    expect(checksumOf(`${pk}!`, `${rk}!`, ts, body, otherBit(ahead))).not.toBe(before);
  },
);

propertyTest.prop([row, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 2, max: 9 })])(
  "the same row has another checksum in another table, and in a table that was created again",
  ([pk, rk, ts, body, ahead], id, more) => {
    const sums = [
      checksumOfTable(id, "Things"),
      checksumOfTable(id, "things"),
      checksumOfTable(id + more, "Things"),
    ].map((table) => checksumOf(pk, rk, ts, body, ahead, table));

    expect(new Set(sums).size).toBe(3);
  },
);

propertyTest.prop([row, fc.tuple(micros, micros), fc.nat(0xffffffff)])(
  "the checksum under another version follows from the one before, and that of a damaged row stays wrong",
  ([pk, rk, ts, body, ahead], after, damage) => {
    const length = Buffer.byteLength(body);
    const next = (checksum: number): number =>
      checksumAfter(checksum, things, pk, rk, [ts, ahead], after, length);
    const [before, expected] = [
      checksumOf(pk, rk, ts, body, ahead),
      checksumOf(pk, rk, after[0], body, after[1]),
    ];

    expect(next(before)).toBe(expected);
    expect(next((before ^ damage) >>> 0) === expected).toBe(damage === 0);
  },
);

const bytes = fc.uint8Array({ maxLength: 300 });
const longBytes = fc
  .tuple(fc.nat(70_000), fc.nat(255))
  .map(([length, byte]) => new Uint8Array(length).fill(byte));

propertyTest.prop([fc.nat(0xffffffff), bytes, fc.oneof(bytes, longBytes)])(
  "the sum of two parts is that of both in one, whatever stands before them",
  (before, first, second) => {
    const whole = crc32(Buffer.concat([first, second]), before);

    expect(joinedCrc32(crc32(first, before), crc32(second), second.length)).toBe(whole);
  },
);

propertyTest.prop([fc.nat(0xffffffff), fc.object(), bytes])(
  "the checksum of packed bytes, which is made of two sums, is that of the whole body",
  (before, properties, data) => {
    const json = Buffer.from(JSON.stringify(properties));
    const trailer = Buffer.alloc(5);
    trailer.writeUInt32LE(json.length);
    const body = Buffer.concat([json, data, trailer]);

    expect(crcOf(bodyOf(body), before)).toBe(crc32(body, before));
  },
);
