import { int64Serializer, int64Type } from "../../../../src/values/edm/int64.ts";
import { SnapshotForm } from "../../../../src/values/edm/snapshot-form.ts";
import { snapshotAsValue, type Serializer } from "../../../../src/values/edm/serializer.ts";
import { readBy } from "../../../../src/values/edm/value-code.ts";
import { SerializationError } from "../../../../src/values/errors/serialization-error.ts";

// A type in one file, as CONTRIBUTING says how to add one: amounts such as "12.50", stored as an Int64 of hundredths.

const amount = /^(-?)(\d{1,16})\.(\d\d)$/;

/** The hundredths of an amount; undefined for any other text, "-0.00" included. */
function unitsOf(text: string): string | undefined {
  const [, sign, whole, cents] = amount.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const units = `${sign}${BigInt(`${whole}${cents}`)}`;
  return amountOf(units) === text ? units : undefined;
}

function amountOf(units: string): string {
  const sign = units.startsWith("-") ? "-" : "";
  const digits = units.slice(sign.length).padStart(3, "0");
  return units === "-0" ? "0.00" : `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const { code } = int64Serializer;

export const centsSerializer: Serializer<string> = {
  ...int64Type,
  ...snapshotAsValue,
  name: "Cents",
  sample: "0.00",
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, "an amount as text", value);
    const units = unitsOf(value);
    if (units === undefined) throw SerializationError.malformed(path, 'an amount such as "12.50"');
    return units;
  },
  decode: (stored, annotation, path) => amountOf(String(int64Serializer.decode(stored, annotation, path))),
  keep: (stored, value, annotation) =>
    annotation === "Edm.Int64" ? value : new SnapshotForm(stored, annotation, value),
  restore: (snapshotValue) => unitsOf(snapshotValue as string) as string,
  code: code && {
    names: { ...code.names, unitsOf, amountOf },
    isQuoted: true,
    fromValue: { test: `typeof v === "string" && parseInt64(v) !== undefined`, value: "amountOf(v)" },
    fromBytes: (id) => readBy(id, `""`, "amountOf(String(readInt64(b, p)))"),
    toSnapshotValue: {
      test: `typeof v === "string" && unitsOf(v) !== undefined`,
      snapshotValue: "v",
      bytes: () => "8",
    },
    toBytes: { test: `typeof v === "string"`, put: "putInt64(o, BigInt(unitsOf(v)))" },
  },
};
