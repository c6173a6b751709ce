import { brand, hasBrand } from "../errors/brand.ts";
import { isDate } from "../errors/built-ins.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { dateTimeType, rangeOfDate } from "./date-time.ts";
import { dateTimeForms, parseDateTime } from "./date-time-text.ts";
import { snapshotAsValue, mismatch, type Serializer } from "./serializer.ts";

/** Milliseconds from 0001-01-01 to 1970-01-01. */
export const epochOffsetMs = 62_135_596_800_000;
/** Ticks of 9999-12-31T23:59:59.9999999Z. */
export const maxTicks = 3_155_378_975_999_999_999n;
/** Ticks of 1601-01-01T00:00:00Z, the start of DateTime. */
const minDateTimeTicks = 504_911_232_000_000_000n;

/** An exact time: ticks of 100 ns since 0001-01-01T00:00:00Z, as .NET counts them. Immutable. */
export class Ticks {
  static {
    brand(this, "Ticks");
  }

  /** Whether a value is one, from any copy of this package. */
  static is(value: unknown): value is Ticks {
    return hasBrand(value, this);
  }

  /** 0 to 3155378975999999999. */
  readonly value: bigint;

  /** @throws SerializationError `edm.out-of-range` for anything but a bigint of the years 1 to 9999 */
  constructor(value: bigint) {
    if (typeof value !== "bigint" || value < 0n || value > maxTicks)
      throw new SerializationError(
        "edm.out-of-range",
        `new Ticks(value) takes a bigint from 0 to ${maxTicks}. For a Date, use Ticks.fromDate(date).`,
      );
    this.value = value;
    Object.freeze(this);
  }

  /**
   * The first tick of the date's millisecond.
   *
   * ```ts
   * console.log(String(Ticks.fromDate(new Date(0)))); // → 1970-01-01T00:00:00.0000000Z
   * ```
   *
   * @throws SerializationError `edm.out-of-range` for an invalid Date
   */
  static fromDate(date: Date): Ticks {
    const ms = isDate(date) ? date.getTime() + epochOffsetMs : Number.NaN;
    if (Number.isNaN(ms))
      throw new SerializationError("edm.out-of-range", "Ticks.fromDate(date) takes a valid Date.");
    return new Ticks(BigInt(ms) * 10_000n);
  }

  /**
   * Reads `2013-08-02T17:37:43.9004348Z` and the service's shorter forms.
   *
   * ```ts
   * console.log(Ticks.parse("2013-08-02T17:37:43.9004348Z").value); // → 635110618639004348n
   * ```
   *
   * @throws SerializationError `edm.malformed` for any other text
   */
  static parse(text: string): Ticks {
    const parts = parseDateTime(text);
    if (parts === undefined)
      throw new SerializationError("edm.malformed", `Ticks.parse(text) takes ${dateTimeForms}.`);
    return new Ticks(BigInt(parts.ms + epochOffsetMs) * 10_000n + BigInt(parts.subMs));
  }

  /**
   * The millisecond that contains this time.
   *
   * ```ts
   * const ticks = Ticks.parse("2013-08-02T17:37:43.9004348Z");
   * console.log(ticks.toDate().toISOString()); // → 2013-08-02T17:37:43.900Z
   * ```
   */
  toDate(): Date {
    return new Date(Number(this.value / 10_000n) - epochOffsetMs);
  }

  /**
   * ISO 8601 with 7 fractional digits.
   *
   * ```ts
   * console.log(Ticks.fromDate(new Date(0)).toString()); // → 1970-01-01T00:00:00.0000000Z
   * ```
   */
  toString(): string {
    const iso = this.toDate().toISOString();
    return `${iso.slice(0, 23)}${String(this.value % 10_000n).padStart(4, "0")}Z`;
  }

  /**
   * The same text as `toString`.
   *
   * ```ts
   * console.log(JSON.stringify(Ticks.fromDate(new Date(0)))); // → "1970-01-01T00:00:00.0000000Z"
   * ```
   */
  toJSON(): string {
    return this.toString();
  }
}

/** DateTime as {@link Ticks}: 1601 to 9999, exact to 100 ns. */
export const ticksSerializer: Serializer<Ticks> = {
  ...dateTimeType,
  ...snapshotAsValue,
  name: "DateTime ticks",
  keyAdvice: "Write newestFirst({ ticks: true }) or oldestFirst({ ticks: true }).",
  rangeOf: rangeOfDate,
  sample: Ticks.fromDate(new Date(0)),
  encode(value, path) {
    if (!Ticks.is(value)) throw SerializationError.wrongType(path, "Ticks", value);
    if (value.value < minDateTimeTicks)
      throw SerializationError.outOfRange(path, "times from 1601-01-01 on (UTC)");
    return value.toString();
  },
  decode(stored, annotation, path) {
    if (annotation !== "Edm.DateTime") throw mismatch(ticksSerializer, stored, annotation, path);
    if (typeof stored !== "string" || parseDateTime(stored) === undefined)
      throw SerializationError.malformed(path, dateTimeForms);
    return Ticks.parse(stored);
  },
  isUnchanged: (snapshotValue, value) => Ticks.is(value) && (snapshotValue as Ticks).value === value.value,
  restore: (snapshotValue) => (snapshotValue as Ticks).toString(),
};
