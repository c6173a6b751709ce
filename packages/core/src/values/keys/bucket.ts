import { isDate } from "../errors/built-ins.ts";
import { KeyError } from "../errors/key-error.ts";
import { Ticks } from "../edm/ticks.ts";
import { checkFormatOptions, formatError } from "./check-format.ts";
import type { DerivedFormat, SourceCondition } from "./derived-format.ts";
import { loadCrypto } from "./load-crypto.ts";
import { orderedTexts } from "./source-texts.ts";
import { exactly } from "./text-range.ts";

/** Settings of a bucket format. */
export interface BucketOptions {
  /**
   * `md5` (default): the first bits of the MD5 digest of the value's text. `modulo`: the remainder of an integer.
   *
   * ```ts
   * console.log(bucket(10, { by: "modulo" }).encode(42)); // → 2
   * ```
   */
  readonly by?: "md5" | "modulo";
}

/** Values with a text that entities can be spread by. */
export type BucketSource = string | number | bigint | boolean | Date | Ticks;

const maxBuckets = 4096;
/** The bits of an MD5 digest. */
const maxBits = 128;

/**
 * Spreads entities over `count` partitions by a property, if a single partition would get too much load. Without a
 * condition on the property, a query reads every bucket. Never change the count while rows are stored.
 *
 * ```ts
 * class Visit extends defineEntity({
 *   table: "Visits",
 *   partitionKey: { user: bucket(16) },
 *   rowKey: { user: text() },
 *   properties: {},
 * }) {}
 * console.log(bucket(16).encode("ann")); // → 0111
 * ```
 *
 * @param count - 2 to 4096; by MD5 a power of two, written as binary digits (`bucket(8)`: `000` to `111`); by modulo
 *   any, written as decimal digits (`bucket(10, { by: "modulo" })`: `0` to `9`). `{ bits }` is 2^bits buckets by MD5, 1 to
 *   128 binary digits: with more than 12, a query needs equality on the property, or reads one range of all buckets
 * @throws ModelError `model.option`; a browser, which has no MD5, throws KeyError `key.no-digest` for a value
 */
export function bucket(
  count: number | { readonly bits: number },
  options: BucketOptions = {},
): DerivedFormat<BucketSource> {
  if (typeof count === "object" && count !== null) return bitBucket(count);
  checkFormatOptions("bucket(count, options)", options, ["by"]);
  const { by = "md5" } = options;
  if (by !== "md5" && by !== "modulo") throw formatError("bucket(count, { by })", 'takes "md5" or "modulo".');
  const isPower = Number.isInteger(Math.log2(count));
  if (!Number.isInteger(count) || count < 2 || count > maxBuckets || (by === "md5" && !isPower))
    throw formatError(
      "bucket(count)",
      `takes a whole number from 2 to ${maxBuckets}, and a power of two, such as bucket(16), unless { by: "modulo" }. For more buckets, write bucket({ bits: 20 }).`,
    );
  if (by === "md5") return bucketFormat(`bucket(${count})`, Math.log2(count));
  const width = String(count - 1).length;
  const all = Array.from({ length: count }, (_, n) => String(n).padStart(width, "0"));
  return bucketsIn(`bucket(${count}, { by: "modulo" })`, "an integer", width, all, (value) => {
    const n = remainder(value, count);
    return n === undefined ? undefined : all[n];
  });
}

function bitBucket(options: { readonly bits: number }): DerivedFormat<BucketSource> {
  checkFormatOptions("bucket({ bits })", options, ["bits"]);
  const { bits } = options;
  if (!Number.isInteger(bits) || bits < 1 || bits > maxBits)
    throw formatError("bucket({ bits })", `takes a whole number from 1 to ${maxBits}.`);
  return bucketFormat(`bucket({ bits: ${bits} })`, bits);
}

function bucketFormat(format: string, bits: number): DerivedFormat<BucketSource> {
  const count = 2 ** bits;
  const all =
    count > maxBuckets
      ? undefined
      : Array.from({ length: count }, (_, n) => n.toString(2).padStart(bits, "0"));
  return bucketsIn(format, "text, a number, a boolean or a date", bits, all, (value) =>
    digestBits(value, bits),
  );
}

/** @param all - the texts of all buckets; undefined if they are too many to list */
function bucketsIn(
  format: string,
  accepts: string,
  width: number,
  all: readonly string[] | undefined,
  encode: (value: unknown) => string | undefined,
): DerivedFormat<BucketSource> {
  const known = new Set(all);
  return {
    format,
    accepts,
    width,
    isDerived: true,
    encode,
    // A bucket's text holds no value to read back; it can only be checked.
    decode: (text) =>
      (all === undefined ? text.length === width && /^[01]*$/.test(text) : known.has(text))
        ? text
        : undefined,
    accepting: (operand) => encode(operand) !== undefined,
    textsOf(value) {
      const text = encode(value);
      return text === undefined ? [] : [text];
    },
    texts: (conditions) =>
      all === undefined
        ? orderedTexts(conditions.filter(isEquality), encode, () => undefined)
        : all.filter((text) => conditions.every((condition) => mayHold(condition, text, encode))),
    range(operator, operand) {
      const text = operator === "eq" ? encode(operand) : undefined;
      return text === undefined ? undefined : exactly(text);
    },
  };
}

/** A hash does not keep order: only equality says which bucket. */
const isEquality = ({ op }: SourceCondition): boolean => op === "eq" || op === "in";

/** Whether rows of this bucket may match a condition: only equality determines the bucket. */
function mayHold(
  condition: SourceCondition,
  text: string,
  encode: (value: unknown) => string | undefined,
): boolean {
  if (condition.op === "eq") return mayBe(encode(condition.operand), text);
  return condition.op !== "in" || condition.operands.some((operand) => mayBe(encode(operand), text));
}

const mayBe = (encoded: string | undefined, text: string): boolean =>
  encoded === undefined || encoded === text;

/**
 * The hash of `bucket`: the first bits of the MD5 digest of a value's UTF-8 text, as binary digits. If the key has
 * `bucket(16)` of a value, the row is in the partition `hashBits(value, 4)`.
 *
 * ```ts
 * const shard = hashBits("ann", 4); // "0111"
 * ```
 *
 * @param value - a date counts as its ISO text at millisecond precision
 * @param bits - 1 to 128
 * @throws ModelError `model.option` for other bits, and for a value without text, such as NaN; KeyError `key.no-digest` in
 *   a browser
 */
export function hashBits(value: BucketSource, bits: number): string {
  const isValid = Number.isInteger(bits) && bits >= 1 && bits <= maxBits;
  const digits = isValid ? digestBits(value, bits) : undefined;
  if (digits === undefined)
    throw formatError(
      "hashBits(value, bits)",
      `takes text, a number, a boolean or a date, and 1 to ${maxBits} bits.`,
    );
  return digits;
}

function digestBits(value: unknown, bits: number): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (typeof process === "undefined") throw noDigest();
  const digest = loadCrypto().createHash("md5").update(text).digest("hex");
  const digits = Array.from(digest.slice(0, Math.ceil(bits / 4)), (digit) =>
    Number.parseInt(digit, 16).toString(2).padStart(4, "0"),
  );
  return digits.join("").slice(0, bits);
}

const noDigest = (): KeyError =>
  new KeyError(
    "key.no-digest",
    'bucket(count) takes the MD5 digest of node:crypto, which browsers do not have. Build the key on a server, or declare the bucket of an integer as bucket(count, { by: "modulo" }).',
  );

function textOf(value: unknown): string | undefined {
  if (isDate(value)) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  // At millisecond precision, since a Date that is compared with Ticks covers its whole millisecond.
  if (Ticks.is(value)) return value.toDate().toISOString();
  const isPlain = typeof value === "string" || typeof value === "bigint" || typeof value === "boolean";
  return isPlain || (typeof value === "number" && Number.isFinite(value)) ? String(value) : undefined;
}

function remainder(value: unknown, count: number): number | undefined {
  if (typeof value === "bigint") return Number(((value % BigInt(count)) + BigInt(count)) % BigInt(count));
  return Number.isInteger(value) ? (((value as number) % count) + count) % count : undefined;
}
