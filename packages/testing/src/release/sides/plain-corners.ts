import type { PropertyModel } from "@partita/core/models";
import fc from "fast-check";

/** The JSON Schema of a value in plain data, from a serializer or key format. */
export type PlainSchema = PropertyModel["serializer"]["plainSchema"];

const dates = [
  "2024-02-29T12:00:00.000Z",
  "2024-02-01T00:00:00.000Z",
  "2024-01-31T23:59:59.999Z",
  "2026-11-25T10:00:00.000Z",
];

/** Texts that are hard for keys, conversions and other types, and typical input of converters. */
const texts = [
  "a",
  "",
  "Anna Lee",
  "12.50",
  "7",
  "Übergröße",
  "b'c_d|e!",
  "https://example.com/a?b=1",
  '{"a":1}',
  "2024-02-29T12:00:00.000Z",
];

/** Corner values of a schema, the most typical first. */
export function cornersOf(schema: PlainSchema): readonly unknown[] {
  const { enum: listed, const: only, anyOf, type, minimum, maximum, format } = schema;
  if (Array.isArray(listed)) return listed;
  if (only !== undefined) return [only];
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => cornersOf(each as PlainSchema));
  switch (type) {
    case "boolean":
      return [true, false];
    case "integer":
      return [1, 2, 0, 42, minimum, maximum].filter((value) => value !== undefined);
    case "number":
      return [0.5, 1, -1.25, 0, 1e21];
    case "string":
      return cornersOfText(format, schema["pattern"]);
    default:
      return ["a", 7, { a: [1] }, ...dates, ...texts];
  }
}

function cornersOfText(format: unknown, pattern: unknown): readonly unknown[] {
  if (format === "date-time") return dates;
  if (format === "date") return ["2024-02-29", "1999-12-31", "2026-11-25"];
  if (format === "uuid")
    return ["4185404a-5818-48c3-b9be-f217df0dba6f", "00000000-0000-0000-0000-000000000001"];
  if (typeof pattern === "string") return ["1", "0", "12.50", "-3.25", "42", "7", "AQID"];
  return texts;
}

/** Any value of a schema; together with the corner values, this covers most programs. */
export function anyOfSchema(schema: PlainSchema): fc.Arbitrary<unknown> {
  const { type, minimum, maximum, format, pattern } = schema;
  if (type === "integer")
    return fc.integer({ min: Number(minimum ?? -(2 ** 31)), max: Number(maximum ?? 2 ** 31 - 1) });
  if (type === "number") return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (format === "uuid") return fc.uuid();
  if (format === "date-time") return anyDate.map((date) => date.toISOString());
  if (format === "date") return anyDate.map((date) => date.toISOString().slice(0, 10));
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  if (type === "string") return fc.string({ maxLength: 12 });
  return fc.constantFrom(...cornersOf(schema));
}

const anyDate = fc.date({
  min: new Date("1990-01-01T00:00:00.000Z"),
  max: new Date("2050-01-01T00:00:00.000Z"),
  noInvalidDate: true,
});
