import { inspect, isDeepStrictEqual } from "node:util";
import { amountOf } from "@partita/test-support/effort";
import { legalKey } from "@partita/testing/arbitraries";
import { fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { readRows } from "../../../src/stores/azure/wire/read-rows.ts";
import { malformed, readable } from "../../../src/stores/azure/wire/read-response.ts";
import { parsePage, toStoredEntity } from "../../../src/stores/azure/wire/entity-json.ts";
import { codecOf } from "../../../src/model/codec/codec-of.ts";
import { codeOfScanner } from "../../../src/model/codec/scan/compile-scanner.ts";
import { rowOfParts } from "../../../src/model/codec/row-layout.ts";
import { orderOfRow } from "../../../src/model/codec/scan/member-order.ts";
import { rowReaderFor } from "../../../src/model/codec/scan/row-reader.ts";
import { ScannedRow } from "../../../src/model/codec/scan/scanned-row.ts";
import {
  bool,
  dateTime,
  defineEntity,
  double,
  enumOf,
  guid,
  binary,
  int32,
  int64,
  text,
} from "../../../src/index.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import type { KindChooser } from "../../../src/model/codec/choose-kind.ts";
import type { RowReader } from "../../../src/storage/row-reader.ts";
import type { EntityModel, PropertyModel } from "../../../src/model/declaration/entity-model.ts";
import { modelOf } from "../../../src/models.ts";
import { outcomeOf, type RandomClass, randomClass, stored } from "./random-classes.ts";

// Rows that are read from their bytes are those that the parser and the codec make of them: values, snapshots, errors.

const models = Number(process.env["PARTITA_SCAN_MODELS"] ?? amountOf({ short: 15, full: 40, long: 800 }));
const rowsOfModel = 200;

interface Token {
  readonly token: string;
  readonly annotation?: unknown;
}

/** Not `1e5` and `1e-5`: such a number is taken for whole only where the page has another sign of whole Doubles. */
const plain = stored.filter(({ value }) => !/\de-?\d/.test(JSON.stringify(value) ?? ""));

const oddTokens = [
  "7.0",
  "-0.0",
  "-0",
  "1.50",
  "1E+2",
  "007",
  "2147483648",
  "-2147483648",
  "tru",
  "null",
  "1.",
  "9".repeat(25),
];

/** A member's value as JSON: as the service writes it, or in another way that means the same or nothing. */
const token = fc
  .tuple(plain, fc.nat(9), fc.constantFrom(...oddTokens))
  .map(([{ value, annotation }, how, odd]) => ({
    token: how === 0 ? odd : tokenOf(value, how),
    annotation,
  }));

function tokenOf(value: unknown, how: number): string {
  const json = JSON.stringify(value) ?? "null";
  if (typeof value === "number" && Number.isInteger(value) && how === 1) return `${json}.0`;
  if (typeof value !== "string" || how > 4) return json;
  if (how === 2) return json.replaceAll("/", "\\/");
  if (how === 3)
    return json.replaceAll(/[a-z]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return JSON.stringify(`${value}…"\n`);
}

interface PrintedMember extends Token {
  readonly name: string;
}

/** A row as bytes of JSON: members in the order of all rows, some of them absent, and rarely one too many. */
const rowText = ({ entityClass }: RandomClass): fc.Arbitrary<string> => {
  const model = modelOf(entityClass);
  const { version } = model;
  return fc
    .record({
      partitionKey: fc.oneof(
        { weight: 5, arbitrary: fc.constant("07_p") },
        { weight: 1, arbitrary: legalKey(6) },
      ),
      rowKey: fc.oneof(legalKey(6), fc.constant("a b c d e f g h i j k")),
      values: fc.array(fc.option(usualOrNot(model), { freq: 60 }), {
        minLength: model.properties.length,
        maxLength: model.properties.length,
      }),
      version: fc.oneof(
        { weight: 12, arbitrary: fc.constant(version?.number ?? 1) },
        { weight: 1, arbitrary: fc.constantFrom(1, 3) },
      ),
      odd: fc.nat(80),
    })
    .map(({ partitionKey, rowKey, values, version: number, odd }) => {
      const members: PrintedMember[] = [
        { name: "odata.etag", token: '"W/\\"datetime\'2026-11-21T00%3A52%3A49.5924987Z\'\\""' },
        { name: "PartitionKey", token: JSON.stringify(partitionKey) },
        { name: "RowKey", token: JSON.stringify(rowKey) },
        { name: "Timestamp", token: '"2026-11-21T00:52:49.5924987Z"' },
        ...(version === undefined ? [] : [{ name: version.storedName, token: String(number) }]),
      ];
      for (const [i, property] of model.properties.entries()) {
        const found = values[i]?.[i];
        if (found !== undefined) members.push({ ...found, name: property.storedName });
      }
      return printed(members, odd);
    });
};

/** Values of all types, from which those of one are chosen. */
const pool = fc.sample(plain, 4000);
type StoredValue = (typeof pool)[number];

/** Those of the pool that a property takes. */
function ownOf({ serializer, path }: PropertyModel): readonly StoredValue[] {
  const { stackTraceLimit } = Error;
  // Most are refused, by errors that nobody reads.
  Error.stackTraceLimit = 0;
  const own = pool.filter(({ value, annotation }) => {
    try {
      serializer.decode(value as string, annotation as string | undefined, path);
      return true;
    } catch {
      return false;
    }
  });
  Error.stackTraceLimit = stackTraceLimit;
  return own;
}

/** For each property, a token of its own type or, rarely, of any. */
const usualOrNot = ({ properties }: EntityModel): fc.Arbitrary<readonly Token[]> =>
  fc.tuple(
    ...properties.map((property) => {
      const usual = fc
        .constantFrom(...ownOf(property))
        .map((each) => ({ ...each, token: tokenOf(each.value, 9) }));
      return fc.oneof({ weight: 100, arbitrary: usual }, { weight: 1, arbitrary: token });
    }),
  );

function printed(members: readonly PrintedMember[], odd: number): string {
  const parts = members.flatMap(({ name, token: value, annotation }) => [
    ...(annotation === undefined
      ? []
      : [`${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(annotation)}`]),
    `${JSON.stringify(name)}:${value}`,
  ]);
  if (odd === 0) parts.push(parts[2] as string);
  if (odd === 1) parts.push('"Other":"more"');
  if (odd === 2) parts.reverse();
  if (odd === 3) return `{${parts.join(", ")} }`;
  return `{${parts.join(",")}}`;
}

const pageOf = (rows: readonly string[]): string => `{"odata.metadata":"x","value":[${rows.join(",")}]}`;

/** What a page holds by the parser and the codec. */
function expected(model: EntityModel, page: string, isTracked: boolean): unknown {
  return unlessRefused(() => parsed(page).map((row) => decoded(model, row, isTracked)));
}

function unlessRefused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

/** As the network storage parses a page. */
const parsed = (page: string): readonly StoredEntity[] =>
  readable(() => {
    const rows = parsePage(page, false);
    if (rows === undefined) throw malformed("it contains no list of entities");
    // Links and nulls are no part of any row.
    return rows.map(toStoredEntity);
  });

const decoded = (model: EntityModel, row: StoredEntity, isTracked: boolean): unknown =>
  outcomeOf(() => {
    const read = codecOf(model).readTracked(structuredClone(row));
    return isTracked ? read : read.entity;
  });

let scanned = 0;

const readerFor = (model: EntityModel, isTracked: boolean): RowReader =>
  rowReaderFor({ models: [model], kinds: [] } as unknown as KindChooser, isTracked) as RowReader;

/** Malformed rows teach nothing. */
function learn(model: EntityModel, page: Buffer, isTracked: boolean): void {
  unlessRefused(() => readRows(page, readerFor(model, isTracked)));
}

function found(model: EntityModel, page: Buffer, isTracked: boolean): unknown {
  return unlessRefused(() => {
    const rows = readable(() => readRows(page, readerFor(model, isTracked)));
    if (rows === undefined) return parsed(page.toString()).map((row) => decoded(model, row, isTracked));
    return rows.map((row) => {
      if (!(row instanceof ScannedRow)) return decoded(model, row as StoredEntity, isTracked);
      scanned++;
      const { entity, snapshot } = row;
      return outcomeOf(() => (isTracked ? { entity, snapshot } : entity));
    });
  });
}

test(`${models} random classes, ${rowsOfModel} rows each: what is read from bytes is what the parser makes of them`, () => {
  const differences: unknown[] = [];
  for (const random of fc.sample(randomClass, models)) {
    const model = modelOf(random.entityClass);
    const rows = fc.sample(rowText(random), rowsOfModel);
    // What is malformed ends a page, so that each page has a few rows.
    for (const isTracked of [true, false]) {
      for (const row of Array.from({ length: 3 }, () => rows).flat())
        learn(model, Buffer.from(pageOf([row])), isTracked);
      for (let at = 0; at < rows.length; at += 5) {
        const page = mutated(pageOf(rows.slice(at, at + 5)), at);
        const [own, other] = [found(model, page, isTracked), expected(model, page.toString(), isTracked)];
        if (!isDeepStrictEqual(own, other)) differences.push(difference(page, own, other));
      }
    }
  }

  expect(differences.slice(0, 2)).toEqual([]);
  // Most rows are usual, and their classes were seen often enough.
  expect(scanned).toBeGreaterThan(models * rowsOfModel * 0.08);
});

const parts = {
  partitionKey: "07_p",
  rowKey: "a b…",
  etag: 'W/"1"',
  timestamp: "2026-11-21T00:52:49.5924987Z",
};

test("the same for rows of which a store has keys and version apart", () => {
  const differences: unknown[] = [];
  const before = scanned;
  for (const random of fc.sample(randomClass, models / 2)) {
    const model = modelOf(random.entityClass);
    const bodies = fc.sample(rowText(random), rowsOfModel).flatMap(bodyOf);
    for (const isTracked of [true, false]) {
      const reader = readerFor(model, isTracked);
      for (const bytes of Array.from({ length: 3 }, () => bodies).flat())
        reader.readBody({ ...parts, bytes });
      for (const [i, bytes] of bodies.entries()) {
        // Stores have bodies as bytes, or as text.
        const row = reader.readBody({ ...parts, bytes, ...(i % 2 === 0 && { text: bytes.toString() }) });
        if (!(row instanceof ScannedRow)) continue;
        scanned++;
        const { entity, snapshot } = row;
        const own = outcomeOf(() => (isTracked ? { entity, snapshot } : entity));
        const other = decoded(model, rowOfParts(JSON.parse(bytes.toString()), parts), isTracked);
        if (
          !isDeepStrictEqual(own, other) ||
          !isDeepStrictEqual(row.row, rowOfParts(JSON.parse(bytes.toString()), parts))
        )
          differences.push(difference(bytes, [own], [other]));
      }
    }
  }

  expect(differences.slice(0, 2)).toEqual([]);
  expect(scanned - before).toBeGreaterThan(models * rowsOfModel * 0.04);
});

/** The properties of a row, where they are JSON that a store would keep. */
function bodyOf(row: string): Buffer[] {
  try {
    const all = JSON.parse(row) as Record<string, unknown>;
    const { PartitionKey: _pk, RowKey: _rk, Timestamp: _ts, "odata.etag": _etag, ...properties } = all;
    const isStored = Object.values(properties).every((value) => value !== null && typeof value !== "object");
    return isStored ? [Buffer.from(JSON.stringify(properties))] : [];
  } catch {
    return [];
  }
}

const deep = { depth: 12, compact: true, breakLength: 1000 };

/** The first row that differs. */
function difference(page: Buffer, own: unknown, other: unknown): unknown {
  if (!Array.isArray(own) || !Array.isArray(other)) return { page: page.toString(), own, other };
  const at = own.findIndex((row, i) => !isDeepStrictEqual(row, other[i]));
  return { page: page.toString(), at, own: inspect(own[at], deep), other: inspect(other[at], deep) };
}

/** Every third page has a byte changed, or its end cut off. */
function mutated(page: string, seed: number): Buffer {
  const bytes = Buffer.from(page);
  if (seed % 15 === 0) bytes[(seed * 7919) % bytes.length] = (seed * 31) % 256;
  if (seed % 35 === 0) return bytes.subarray(0, (seed * 104_729) % bytes.length);
  return bytes;
}

class Everything extends defineEntity({
  table: "Everythings",
  partitionKey: { part: text() },
  rowKey: { id: text() },
  properties: {
    name: text(),
    note: text().optional(),
    price: double(),
    count: int32(),
    views: int64(),
    isOpen: bool(),
    at: dateTime(),
    guid: guid(),
    image: binary(),
    state: enumOf(["open", "done"]),
    label: text().default("none"),
  },
}) {}

const usualRow = {
  PartitionKey: "p",
  RowKey: "r",
  Timestamp: "2026-11-21T00:52:49.5924987Z",
  name: "A name of some length",
  note: "short",
  price: 9.99,
  count: 12,
  "views@odata.type": "Edm.Int64",
  views: "-9007199254740993",
  isOpen: true,
  "at@odata.type": "Edm.DateTime",
  at: "2024-02-29T23:59:59.1234567Z",
  "guid@odata.type": "Edm.Guid",
  guid: "4185404a-5818-48c3-b9be-f217df0dba6f",
  "image@odata.type": "Edm.Binary",
  image: "AAECAwQFBgcICQ==",
  state: "done",
  label: "own",
};

/** Reads rows that follow 200 usual ones. */
function readAfterUsual(texts: readonly string[], isTracked = true): readonly unknown[] {
  const reader = readerFor(modelOf(Everything), isTracked);
  const usual = Array.from({ length: 200 }, () => JSON.stringify(usualRow));
  const read = (rows: readonly string[]): readonly unknown[] =>
    readRows(Buffer.from(pageOf(rows)), reader) ?? [];
  read(usual);
  return read(texts);
}

describe("rows of a known order are read from their bytes", () => {
  const isRead = (row: object): boolean => readAfterUsual([JSON.stringify(row)])[0] instanceof ScannedRow;

  test("usual ones, those without optional members, and Doubles that are whole", () => {
    const { note: _note, label: _label, ...less } = usualRow;
    const whole = JSON.stringify(usualRow).replace("9.99", "7.0");
    expect([isRead(usualRow), isRead(less)]).toEqual([true, true]);
    expect(readAfterUsual([whole])[0]).toMatchObject({ entity: { price: 7 } });
    expect(isRead({ ...usualRow, name: "é…" })).toBe(true);
    expect(isRead({ ...usualRow, name: "x".repeat(5000) })).toBe(true);
  });

  test("unusual ones are parsed", () => {
    const { name: _name, ...without } = usualRow;
    expect(isRead(without)).toBe(false);
    expect(isRead({ ...usualRow, other: 1 })).toBe(false);
    expect(isRead({ ...usualRow, count: 1.5 })).toBe(false);
    expect(isRead({ ...usualRow, at: "2023-02-29T23:59:59Z" })).toBe(false);
  });

  test("a number of hundreds of digits, which no Double is, is refused as by the parser", () => {
    const beyond = JSON.stringify(usualRow).replace("9.99", `${"9".repeat(400)}.5`);
    expect(() => readAfterUsual([beyond])).toThrow(
      expect.objectContaining({ code: "storage.malformed-response" }) as Error,
    );
  });

  test("a fraction that no Double has is read as the parser reads it", () => {
    const rounded = JSON.stringify(usualRow).replace("9.99", "12345678901234567890.5");
    expect(readAfterUsual([rounded])[0]).toMatchObject({ price: Number("12345678901234567890") });
  });

  test("no text of an entity keeps the page in memory: those of a row are one string", () => {
    const [row] = readAfterUsual([JSON.stringify(usualRow)]) as [ScannedRow];
    expect(row.entity).toMatchObject({ name: "A name of some length", state: "done" });
    expect(row.row).toMatchObject({ name: "A name of some length", RowKey: "r" });
  });

  test("a page whose rows alternate between two orders is read whole", () => {
    const other = Object.fromEntries(
      Object.entries(usualRow)
        .toReversed()
        .filter(([name]) => !name.includes("@")),
    );
    const turned = { PartitionKey: "p", RowKey: "r", ...other };
    const rows = Array.from({ length: 10 }, (_, i) => JSON.stringify(i % 2 === 0 ? usualRow : turned));
    expect(readAfterUsual(rows)).toHaveLength(10);
  });
});

test("the code of a scanner is as reviewers have read it", async () => {
  const model = modelOf(Everything);
  const order = orderOfRow(model, usualRow) ?? [];
  const code = codeOfScanner(model, { order, isTracked: true, isBody: false });
  await expect(`${code}\n`).toMatchFileSnapshot("code/scan-everything.txt");
});
