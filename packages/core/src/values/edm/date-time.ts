import { isDate, timeOf } from "../errors/built-ins.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import type { StoredValue } from "./stored-entity.ts";
import { type EdmForms, inOrder, textIn } from "./edm-forms.ts";
import { mismatch, type Serializer } from "./serializer.ts";
import { giveUp } from "./value-code.ts";
import {
  canonicalDateTime,
  dateTimeForms,
  dateTimeSchema,
  formatDateTime,
  millisecondsOf,
  parseDateTime,
  storedDateTime,
} from "./date-time-text.ts";
import { putDateTime, readDate } from "./date-time-bytes.ts";
import {
  isInMs,
  isSameMs,
  isSameTime,
  keepDate,
  keepTicks,
  type SnapshotDate,
  restoreDate,
} from "./snapshot-date.ts";

/** 1601-01-01T00:00:00Z in milliseconds. Source: learn.microsoft.com "Understanding the Table service data model". */
const minMs = -11_644_473_600_000;
/** 9999-12-31T23:59:59.999Z in milliseconds. */
const maxMs = 253_402_300_799_999;

/** Whether a time is within the range of DateTime; false for an invalid date. */
const isDateTimeMs = (ms: number): boolean => ms >= minMs && ms <= maxMs;

/** The stored forms of DateTime. */
export const dateTimeType: EdmForms = {
  edm: "Edm.DateTime",
  annotation: "always",
  isAnnotated: () => true,
  parse: (value) => storedDateTime(textIn(value)),
  isInRange: (stored) => (stored as string) >= "1601",
  sizeOf: () => 8,
  compare: (a, b) => inOrder(canonicalText(a), canonicalText(b)),
  isOrdered: true,
  canonical: (stored) => canonicalText(stored),
  example: "2000-01-01T00:00:00.000Z",
  print: (stored) => `datetime'${stored}'`,
  quoted: { prefixes: ["datetime"], parse: storedDateTime, problem: "a datetime'…' does not hold a date" },
  plainForm: 'a time as ISO 8601 text, such as "2026-11-22T10:00:00.000Z"',
  plainSchema: dateTimeSchema,
};

/**
 * DateTime as a `Date`: 1601 to 9999, in milliseconds. A stored value with more digits keeps them until the `Date` is
 * changed; use ticks if you need 100 ns.
 */
export const dateTimeSerializer: Serializer<Date> = {
  ...dateTimeType,
  name: "DateTime",
  sample: new Date(0),
  keyAdvice:
    "Write newestFirst or oldestFirst for the whole date, or day, month, week or hour for a part of it in addition to the date itself.",
  rangeOf: rangeOfDate,
  code: {
    names: {
      isDateTimeMs,
      isInMs,
      isSameTime,
      keepDate,
      keepTicks,
      millisecondsOf,
      putDateTime,
      readDate,
      timeOf,
    },
    isQuoted: true,
    fromValue: {
      test: `typeof v === "string" && (t = millisecondsOf(v)) === t`,
      value: "new Date(t)",
      snapshotValue: "keepDate(v, t)",
    },
    fromBytes: (id) => ({
      variables: [`x${id} = 0.5`, `y${id} = 0.5`, `f${id} = -1`, `l${id} = 0`],
      code: `i = p; x${id} = readDate(b, v, p); ${giveUp}`,
      // All digits, as text if no number can hold them.
      keeping: [
        ` y${id} = x${id}; c = cursor.ticks;`,
        `if (c !== 0 && !(c > 0 && (y${id} = keepTicks(x${id}, c)) === y${id})) { f${id} = n; while (i < p - 1) t[n++] = b[i++]; l${id} = n; }`,
      ].join(" "),
      value: `new Date(x${id})`,
      snapshotValue: `(f${id} < 0 ? y${id} : texts.substring(f${id}, l${id}))`,
    }),
    toSnapshotValue: { test: "isDateTimeMs((t = timeOf(v)))", snapshotValue: "t", bytes: () => "8" },
    same: `typeof x === "number" && isSameTime(x, v)`,
    toBytes: { test: `typeof v === "number" && isInMs(v)`, put: "putDateTime(o, v)" },
  },
  encode(value, path) {
    if (!isDate(value)) throw SerializationError.wrongType(path, "a Date", value);
    const ms = value.getTime();
    if (!isDateTimeMs(ms))
      throw SerializationError.outOfRange(path, "valid dates from 1601-01-01 to 9999-12-31 (UTC)");
    return formatDateTime(ms);
  },
  decode(stored, annotation, path) {
    if (annotation !== "Edm.DateTime") throw mismatch(dateTimeSerializer, stored, annotation, path);
    const parts = typeof stored === "string" ? parseDateTime(stored) : undefined;
    if (parts === undefined) throw SerializationError.malformed(path, dateTimeForms);
    return new Date(parts.ms);
  },
  keeping: "stored",
  keep: (stored, value): SnapshotDate =>
    keepDate(storedDateTime(stored as string) ?? (stored as string), value.getTime()),
  isUnchanged(snapshotValue, value) {
    if (!isDate(value)) return false;
    const ms = value.getTime();
    return typeof snapshotValue === "number"
      ? isSameMs(snapshotValue, ms)
      : millisecondsOf(snapshotValue as string) === ms;
  },
  restore: (snapshotValue) =>
    typeof snapshotValue === "number" ? restoreDate(snapshotValue) : (snapshotValue as string),
};

const canonicalText = (stored: StoredValue): string => canonicalDateTime(String(stored)) ?? String(stored);

/** A `Date` covers its complete millisecond; a store may hold any tick in it. */
export function rangeOfDate(value: unknown): readonly [least: string, greatest: string] | undefined {
  if (!isDate(value) || !isDateTimeMs(value.getTime())) return undefined;
  const text = formatDateTime(value.getTime());
  return [text, `${text.slice(0, -1)}9999Z`];
}
