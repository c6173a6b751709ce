import type { StoredEntity } from "../../../values/edm/stored-entity.ts";
import { isUnseen } from "../../declaration/model-registry.ts";
import type { EntityModel } from "../../declaration/entity-model.ts";
import type { ReadList, ReadRow, RowBody, RowReader } from "../../../storage/row-reader.ts";
import type { KindChooser } from "../choose-kind.ts";
import { isOfKind } from "../row-layout.ts";
import type { Scanner } from "./compile-scanner.ts";
import { cursor } from "../../../values/edm/cursor.ts";
import { endOfRow, textOf } from "../../../values/edm/json-bytes.ts";
import { type RowScanners, scannersOf } from "./row-scanners.ts";
import { type RowSource, ScannedRow } from "./scanned-row.ts";

/** A copy of a row in a buffer with bytes to spare, so code may read past its end. It grows with the longest row. */
let body = Buffer.alloc(64 * 1024);
let bodyView = new DataView(body.buffer, body.byteOffset, body.length);
/** Most rows are far shorter: a row of the service has 1 MiB at most, which base64 increases by a third. */
const longestBody = 2 * 1024 * 1024;
const [comma, openingBrace, closingBracket] = [0x2c, 0x7b, 0x5d];

/** Whether rows are being read: a setter of an entity that starts another read must not use the shared buffer above. */
let isReading = false;

/**
 * The reader for the rows of a query, each of which is an entity of one of these classes; undefined if a row has to
 * be parsed to find its class.
 */
export function rowReaderFor(
  { models, kinds }: Pick<KindChooser, "models" | "kinds">,
  isTracked: boolean,
): RowReader | undefined {
  const all = [...new Set([...models.filter(({ kind }) => kind !== undefined), ...kinds])];
  const [first] = models;
  if (first === undefined) return undefined;
  if (all.length === 0) return new PageReader([first], isTracked);
  const isAnnotated = all.every(({ kind, entityClass }) => kind?.isStored === true && !isUnseen(entityClass));
  return isAnnotated ? new PageReader(all, isTracked) : undefined;
}

class PageReader implements RowReader {
  readonly #models: readonly EntityModel[];
  readonly #isTracked: boolean;
  #lists: KindScanners | undefined;
  #bodies: KindScanners | undefined;

  constructor(models: readonly EntityModel[], isTracked: boolean) {
    this.#models = models;
    this.#isTracked = isTracked;
  }

  readList(bytes: Buffer, start: number, parse: (text: string) => StoredEntity): ReadList | undefined {
    if (isReading) return undefined;
    isReading = true;
    try {
      this.#lists ??= new KindScanners(this.#models, this.#isTracked, false);
      return new ListReader(this.#lists, bytes, parse).read(start);
    } finally {
      isReading = false;
    }
  }

  readBody(row: RowBody): ReadRow | undefined {
    if (isReading) return undefined;
    isReading = true;
    try {
      return this.#readBody(row);
    } finally {
      cursor.packed = undefined;
      isReading = false;
    }
  }

  partitionKeyOf(row: ReadRow | StoredEntity): string {
    return ScannedRow.is(row) ? row.partitionKey : (row as StoredEntity).PartitionKey;
  }

  #readBody(row: RowBody): ReadRow | undefined {
    const { packed } = row;
    cursor.packed = packed?.data;
    const length = packed === undefined ? copyToBody(row) : copyBytes(packed.json);
    if (length === undefined || body[0] !== openingBrace) return undefined;
    // All members have a comma before them, and no text continues past the row.
    body[0] = comma;
    body[length] = 0;
    const found: ReadRow[] = [];
    const kinds = (this.#bodies ??= new KindScanners(this.#models, this.#isTracked, true));
    for (const { scanners } of kinds.scanners)
      for (const scanner of scanners)
        if (scan(scanner, body, bodyView, 0, found, row) === length) return found[0];
    // Packed values have no effect on the order of the members.
    kinds.learn(
      length + (packed?.data.length ?? 0),
      () => JSON.parse(textOf(packed?.json ?? row.bytes)) as StoredEntity,
    );
    return undefined;
  }
}

/** Copies a row to where it is read; undefined for one that is too long. */
function copyToBody(row: RowBody): number | undefined {
  const { text } = row;
  if (text !== undefined && text.length * maxBytesOfUnit < body.length) return body.write(text);
  return copyBytes(row.bytes);
}

function copyBytes(bytes: Uint8Array): number | undefined {
  if (bytes.length >= longestBody) return undefined;
  makeRoom(bytes.length + 1);
  body.set(bytes);
  return bytes.length;
}

/** Bytes in UTF-8 of a unit of UTF-16 at most. */
const maxBytesOfUnit = 3;

function makeRoom(length: number): void {
  if (length <= body.length) return;
  body = Buffer.alloc(Math.min(longestBody, 2 * length));
  bodyView = new DataView(body.buffer, body.byteOffset, body.length);
}

/** The scanners of several classes. */
class KindScanners {
  readonly #ofModels: readonly (readonly [EntityModel, readonly RowScanners[]])[];
  readonly scanners: readonly RowScanners[];

  constructor(models: readonly EntityModel[], isTracked: boolean, isBody: boolean) {
    this.#ofModels = models.map((model) => [model, scannersOf(model, isTracked, isBody)]);
    this.scanners = this.#ofModels.flatMap(([, scanners]) => scanners);
  }

  list(): Scanner[] {
    return this.scanners.flatMap(({ scanners }) => scanners);
  }

  /**
   * Passes a row that no scanner reads to the scanners of its class, if it is worth the time to parse it.
   *
   * @param bytes - how long the row is
   */
  learn(bytes: number, parse: () => StoredEntity): void {
    let isWorthALook = false;
    for (const each of this.scanners) if (each.isWorthALook(this.scanners.length, bytes)) isWorthALook = true;
    if (!isWorthALook) return;
    const row = parse();
    for (const [model, scanners] of this.#ofModels)
      if (isOfKind(model, row)) for (const each of scanners) each.learn(row, bytes);
  }
}

/** Reads the rows of one list. */
class ListReader implements RowSource {
  readonly #kinds: KindScanners;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #parse: (text: string) => StoredEntity;
  readonly #rows: object[] = [];
  /** Those that fit the previous row come first. */
  #scanners: Scanner[];

  constructor(kinds: KindScanners, bytes: Buffer, parse: (text: string) => StoredEntity) {
    this.#kinds = kinds;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#parse = parse;
    this.#scanners = kinds.list();
  }

  /** Undefined where the bytes are no list, or one that is not written as the service does it. */
  read(start: number): ReadList | undefined {
    const [bytes, rows] = [this.#bytes, this.#rows];
    if (bytes[start] === closingBracket) return { rows, end: start + 1 };
    let at: number | undefined = start;
    for (;;) {
      at = this.#readSome(at) ?? this.#parseOne(at);
      if (at === undefined) return undefined;
      // The scanner has passed the comma after its last row: then another row has to follow, and not the end of the
      // list.
      if (bytes[at] === closingBracket && bytes[at - 1] !== comma) return { rows, end: at + 1 };
      if (bytes[at] !== openingBrace || bytes[at - 1] !== comma) return undefined;
    }
  }

  /** Reads rows that fit; undefined where none does. */
  #readSome(at: number): number | undefined {
    for (const [i, scanner] of this.#scanners.entries()) {
      const end = scan(scanner, this.#bytes, this.#view, at, this.#rows, this);
      const stopped = end < 0 ? -1 - end : end;
      if (stopped === at) continue;
      if (i > 0) this.#scanners = [scanner, ...this.#scanners.filter((other) => other !== scanner)];
      return stopped;
    }
    return undefined;
  }

  #parseOne(at: number): number | undefined {
    const end = endOfRow(this.#bytes, at);
    if (end === undefined) return undefined;
    const text = this.#bytes.toString("utf8", at, end);
    this.#rows.push(this.#parse(text));
    this.#kinds.learn(text.length, () => JSON.parse(text) as StoredEntity);
    return this.#bytes[end] === comma ? end + 1 : end;
  }

  parse(at: number): StoredEntity {
    return this.#parse(this.#bytes.toString("utf8", at, endOfRow(this.#bytes, at)));
  }
}

/** Runs a scanner. An exception means that a property's own serializer refuses a value of the row. */
function scan(
  scanner: Scanner,
  bytes: Buffer,
  view: DataView,
  at: number,
  found: object[],
  source: RowSource | RowBody,
): number {
  try {
    return scanner(bytes, view, at, found, source);
  } catch {
    return -1 - cursor.row;
  }
}
