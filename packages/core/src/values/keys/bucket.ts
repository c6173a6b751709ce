import { isDate } from "../errors/built-ins.ts";
import { KeyError } from "../errors/key-error.ts";
import { Ticks } from "../edm/ticks.ts";
import { checkFormatOptions, formatError } from "./check-format.ts";
import type { DerivedFormat, SourceCondition } from "./derived-format.ts";
import { loadCrypto } from "./load-crypto.ts";
import { exactly } from "./text-range.ts";

/** Settings of a bucket format. */
export interface BucketOptions {
  /** `md5` (default): the first bits of the MD5 digest of the value's text. `modulo`: the remainder of an integer. */
  readonly by?: "md5" | "modulo";
}

/** Values with a text that entities can be spread by. */
export type BucketSource = string | number | bigint | boolean | Date | Ticks;

const maxBuckets = 4096;

/**
 * Spreads entities over `count` partitions by a property, if a single partition would get too much load. Without a
 * condition on the property, a query reads every bucket. Never change the count while rows are stored.
 *
 * @param count - 2 to 4096; by MD5 a power of two, written as binary digits (`bucket(8)`: `000` to `111`); by modulo
 *   any, written as decimal digits (`bucket(10, { by: "modulo" })`: `0` to `9`)
 * @throws ModelError `model.option`; a browser, which has no MD5, throws KeyError `key.no-digest` for a value
 */
export function bucket(count: number, options: BucketOptions = {}): DerivedFormat<BucketSource> {
  checkFormatOptions("bucket(count, options)", options, ["by"]);
  const { by = "md5" } = options;
  if (by !== "md5" && by !== "modulo") throw formatError("bucket(count, { by })", 'takes "md5" or "modulo".');
  const isPower = Number.isInteger(Math.log2(count));
  if (!Number.isInteger(count) || count < 2 || count > maxBuckets || (by === "md5" && !isPower))
    throw formatError(
      "bucket(count)",
      `takes a whole number from 2 to ${maxBuckets}, and a power of two, such as bucket(16), unless { by: "modulo" }.`,
    );
  const radix = by === "md5" ? 2 : 10;
  const width = (count - 1).toString(radix).length;
  const print = (n: number): string => n.toString(radix).padStart(width, "0");
  const all = Array.from({ length: count }, (_, n) => print(n));
  const known = new Set(all);
  const numberOf =
    by === "md5" ? (value: unknown) => md5Bits(value, width) : (value: unknown) => remainder(value, count);
  const encode = (value: unknown): string | undefined => {
    const n = numberOf(value);
    return n === undefined ? undefined : print(n);
  };
  return {
    format: by === "md5" ? `bucket(${count})` : `bucket(${count}, { by: "modulo" })`,
    accepts: by === "md5" ? "text, a number, a boolean or a date" : "an integer",
    width,
    isDerived: true,
    encode,
    // A bucket's text holds no value to read back; it can only be checked.
    decode: (text) => (known.has(text) ? text : undefined),
    accepting: (operand) => encode(operand) !== undefined,
    textsOf(value) {
      const text = encode(value);
      return text === undefined ? [] : [text];
    },
    texts: (conditions) =>
      all.filter((text) => conditions.every((condition) => mayHold(condition, text, encode))),
    range(operator, operand) {
      const text = operator === "eq" ? encode(operand) : undefined;
      return text === undefined ? undefined : exactly(text);
    },
  };
}

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

/** The first bits of the digest of the value's UTF-8 text, as a number; at most 12. */
function md5Bits(value: unknown, bits: number): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (typeof process === "undefined") throw noDigest();
  const digest = loadCrypto().createHash("md5").update(text).digest();
  return digest.readUInt16BE(0) >> (16 - bits);
}

const noDigest = (): KeyError =>
  new KeyError(
    "key.no-digest",
    'bucket(count) takes the MD5 digest of node:crypto, which browsers do not have. Make the key on a server, or declare the bucket of an integer as bucket(count, { by: "modulo" }).',
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
