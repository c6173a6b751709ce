import { inherits } from "../errors/brand.ts";
import { tagOf } from "../errors/built-ins.ts";
import { ModelError } from "../errors/model-error.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { int64Serializer, int64Type, isInt64 } from "./int64.ts";
import type { Serializer } from "./serializer.ts";
import { SnapshotForm } from "./snapshot-form.ts";
import type { ValueCode } from "./value-code.ts";

// A decimal is stored as an Int64 in units of 10^-scale, which is exact and ordered. This file converts every host form
// to units, without JavaScript numbers and without rounding.

/** A class of decimals, such as `Big`: its constructor accepts the text that `toString()` or `toFixed()` prints. */
export type DecimalClass<Value> = new (text: string) => Value;

/** The host form of a decimal: text, a bigint of units, or an instance of a class. */
interface HostForm<Value> {
  /** For messages. */
  readonly expected: string;
  /** An example value, if key formats of indexes accept this form. */
  readonly sample?: Value;
  /** `value` if `===` is enough to show that a value did not change. */
  readonly keeping: "value" | "stored";
  readonly code?: ValueCode | undefined;
  takes(value: unknown): boolean;
  /** Undefined for a value that is not a decimal or has digits beyond the scale. */
  unitsOf(value: Value): bigint | undefined;
  valueOf(units: bigint): Value;
}

/** An Int64 has 19 digits, so a decimal can have 18 of them after the point. */
const maxScale = 18;
const [minUnits, maxUnits] = [-(2n ** 63n), 2n ** 63n - 1n];

const asText = /^(-?)(\d+)(?:\.(\d+))?$/;
/** The form of very large and very small numbers that classes print: `1.25e+21`. */
const asNumber = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,9}))?$/i;

/**
 * The units of a decimal; undefined for other text, and if digits would be lost. If they are beyond Int64, the result
 * is any value beyond Int64.
 */
function parseUnits(text: string, scale: number, form: RegExp): bigint | undefined {
  const [, sign = "", whole, fraction = "", exponent = "0"] = form.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = `${whole}${fraction}`;
  let [first, last] = [0, digits.length];
  while (first < last && digits[first] === "0") first++;
  while (last > first && digits[last - 1] === "0") last--;
  if (first === last) return 0n;
  const zeros = scale + Number(exponent) - fraction.length + digits.length - last;
  if (zeros < 0) return undefined;
  // Text that is long or has a large exponent is not converted to a huge number.
  if (last - first + zeros > 19) return maxUnits + 1n;
  return BigInt(`${sign}${digits.slice(first, last)}${"0".repeat(zeros)}`);
}

/** The canonical text of a decimal, with `scale` digits after the point. */
function printUnits(units: bigint, scale: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const textForm = (scale: number): HostForm<string> => ({
  expected: `text such as ${exampleOf(scale)}`,
  keeping: "stored",
  code: textCode(scale),
  takes: (value) => typeof value === "string",
  unitsOf: (value) => parseUnits(value, scale, asText),
  valueOf: (units) => printUnits(units, scale),
});

/** Snapshots hold units. */
function textCode(scale: number): ValueCode | undefined {
  const { code } = int64Serializer;
  return (
    code && {
      ...code,
      names: { ...code.names, printUnits, parseUnits, asText, isInt64 },
      fromValue: {
        test: `typeof v === "string" && (t = parseInt64(v)) !== undefined`,
        value: `printUnits(t, ${scale})`,
        snapshotValue: "t",
      },
      fromBytes: (id) => ({
        ...code.fromBytes(id),
        value: `printUnits(x${id}, ${scale})`,
        snapshotValue: `x${id}`,
      }),
      toSnapshotValue: {
        test: `typeof v === "string" && (t = parseUnits(v, ${scale}, asText)) !== undefined && isInt64(t)`,
        snapshotValue: "t",
        bytes: () => "8",
      },
    }
  );
}

const unitsForm = (scale: number): HostForm<bigint> => ({
  expected: `a bigint of units of 10^-${scale}`,
  keeping: "value",
  code: int64Serializer.code,
  sample: 0n,
  takes: (value) => typeof value === "bigint",
  unitsOf: (value) => value,
  valueOf: (units) => units,
});

function classForm<Value>(scale: number, type: DecimalClass<Value>): HostForm<Value> {
  return {
    expected: `an instance of ${type.name}`,
    keeping: "stored",
    takes: (value) =>
      typeof value === "object" &&
      value !== null &&
      tagOf(value) !== "Number" &&
      // Libraries can create several classes with the same methods from one.
      (inherits(value, type as unknown as DecimalClass<object>) ||
        typeof (value as Printable).toFixed === "function"),
    unitsOf: (value) => parseUnits(printed(value as Printable), scale, asNumber),
    valueOf: (units) => new type(printUnits(units, scale)),
  };
}

interface Printable {
  toFixed?(): string;
  toString(): string;
}

/** `toString` first: `toFixed` without digits may round. */
const printed = (value: Printable): string =>
  String(value.toString === Object.prototype.toString ? value.toFixed?.() : value.toString());

const patternOf = (scale: number): string =>
  `^-?[0-9]{1,${19 - scale}}${scale === 0 ? "" : `(\\.[0-9]{1,${scale}})?`}$`;

const exampleOf = (scale: number): string => `"12${scale === 0 ? "" : `.${"5".padEnd(scale, "0")}`}"`;

/**
 * A decimal with `scale` digits after the point, as an Int64 in units of 10^-scale. Like Int64, it also reads Int32, as
 * units.
 *
 * @throws ModelError `model.property-type` for a scale that is not an integer from 0 to 18, and for a class that does
 *   not preserve decimals
 */
export function decimalSerializer<Value>(
  options: { readonly scale: number; readonly as?: unknown } | undefined,
): Serializer<Value> {
  const { scale = Number.NaN, as, ...others } = options ?? {};
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrongDecimal(`has no option "${other.slice(0, 40)}"`);
  if (!Number.isInteger(scale) || scale < 0 || scale > maxScale)
    throw wrongDecimal(`takes an integer from 0 to ${maxScale} as scale`);
  return serializerOf(scale, formOf(scale, as) as HostForm<Value>);
}

function serializerOf<Value>(scale: number, form: HostForm<Value>): Serializer<Value> {
  const name = `Decimal of scale ${scale}`;
  const digits = `at most ${scale} ${scale === 1 ? "digit" : "digits"} after the point`;
  const range = `decimals from ${printUnits(minUnits, scale)} to ${printUnits(maxUnits, scale)}`;
  const parsePlain = (value: unknown): string | undefined => {
    const units = typeof value === "string" ? parseUnits(value, scale, asText) : undefined;
    return units !== undefined && isInt64(units) ? String(units) : undefined;
  };
  return {
    ...int64Type,
    name,
    comparison: "ordered",
    keyAdvice: "Write padded64(19, { signed: true }), and give it units as a bigint.",
    sample: form.sample,
    keeping: form.keeping,
    code: form.code,
    plainSchema: { type: "string", pattern: patternOf(scale) },
    plainForm: `a decimal of scale ${scale} as text, such as ${exampleOf(scale)}, with ${digits},`,
    plain: { print: (stored) => printUnits(BigInt(stored), scale), parse: parsePlain },
    encode(value, path) {
      if (!form.takes(value))
        throw SerializationError.wrongType(path, `a decimal of scale ${scale}: ${form.expected}`, value);
      const units = unitsIn(form, value, path);
      if (units === undefined)
        throw SerializationError.malformed(
          path,
          `a decimal of scale ${scale}: ${form.expected}, with ${digits}`,
        );
      if (!isInt64(units)) throw SerializationError.outOfRange(path, range);
      return String(units);
    },
    decode(stored, annotation, path) {
      const units = int64Serializer.decode(stored, annotation, path);
      try {
        return form.valueOf(units);
      } catch (cause) {
        throw SerializationError.conversion(path, "decode", cause);
      }
    },
    // An Int32 stays one until it is edited.
    keep(stored, _value, annotation) {
      const units = BigInt(stored);
      return annotation === "Edm.Int64" ? units : new SnapshotForm(stored, annotation, units);
    },
    isUnchanged(snapshotValue, value) {
      try {
        return form.takes(value) && form.unitsOf(value) === snapshotValue;
      } catch {
        return false;
      }
    },
    restore: (snapshotValue) => String(snapshotValue),
  };
}

/** @throws SerializationError `edm.conversion-failed` if the methods of a value throw */
function unitsIn<Value>(
  form: HostForm<Value>,
  value: Value,
  path: Parameters<Serializer<Value>["encode"]>[1],
): bigint | undefined {
  try {
    return form.unitsOf(value);
  } catch (cause) {
    throw SerializationError.conversion(path, "encode", cause);
  }
}

function formOf(scale: number, as: unknown): HostForm<never> {
  if (as === undefined) return textForm(scale) as HostForm<never>;
  if (as === "units") return unitsForm(scale) as HostForm<never>;
  if (typeof as !== "function") throw wrongDecimal('takes "units" or a class of decimals for the option as');
  const form = classForm(scale, as as DecimalClass<never>);
  if (!keepsDecimals(form))
    throw wrongDecimal(
      `takes a class that preserves every digit of its text, and ${as.name === "" ? "this one" : as.name} does not`,
    );
  return form;
}

/** Whether a class preserves the smallest decimal. `Number` and `Date` do not. */
function keepsDecimals<Value>(form: HostForm<Value>): boolean {
  try {
    const least = form.valueOf(minUnits);
    return form.takes(least) && form.unitsOf(least) === minUnits;
  } catch {
    return false;
  }
}

const wrongDecimal = (problem: string): ModelError =>
  new ModelError(
    "model.property-type",
    `decimal(options), or @Decimal(options), ${problem}: decimal({ scale: 2 }), decimal({ scale: 2, as: "units" }), decimal({ scale: 2, as: Big }).`,
  );
