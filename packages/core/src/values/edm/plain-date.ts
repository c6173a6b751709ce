import { SerializationError } from "../errors/serialization-error.ts";
import { millisecondsOf } from "./date-time-text.ts";
import { snapshotAsValue, type Serializer } from "./serializer.ts";
import { stringSerializer, stringType } from "./string.ts";

const written = /^(?!0000)\d{4}-\d\d-\d\d$/;
const expected = 'an existing day of the years 0001 to 9999, as text such as "2026-11-25"';

/** Whether a text is a day of the calendar, `yyyy-MM-dd`. */
const isPlainDate = (text: string): boolean =>
  written.test(text) && !Number.isNaN(millisecondsOf(`${text}T00:00:00`));

/** A day without a time, as a String. Text order is the order of the days, and each day has one form only. */
export const plainDateSerializer: Serializer<string> = {
  ...stringType,
  ...snapshotAsValue,
  name: "PlainDate",
  comparison: "ordered",
  keyAdvice: "Write text(): days sort correctly as text.",
  sample: "2000-01-01",
  plainForm: `${expected},`,
  plainSchema: { type: "string", format: "date" },
  encode(value, path) {
    if (typeof value !== "string") throw SerializationError.wrongType(path, expected, value);
    if (!isPlainDate(value)) throw SerializationError.malformed(path, expected);
    return value;
  },
  decode(stored, annotation, path) {
    const text = stringSerializer.decode(stored, annotation, path);
    if (!isPlainDate(text)) throw SerializationError.malformed(path, expected);
    return text;
  },
  restore: (snapshotValue) => snapshotValue as string,
};
