/*
 * Values and keys that another client may legally store, and the correct reading for each declared type. This
 * is data only, for the tests of every package.
 */

/** The EDM types of the service. Source: learn.microsoft.com "Understanding the Table service data model". */
export type ForeignType =
  | "Edm.String"
  | "Edm.Int32"
  | "Edm.Int64"
  | "Edm.Double"
  | "Edm.Boolean"
  | "Edm.DateTime"
  | "Edm.Guid"
  | "Edm.Binary";

/** A stored value in JSON, with its annotation if the service writes one. */
export interface ForeignValue {
  readonly name: string;
  readonly edm: ForeignType;
  readonly value: string | number | boolean;
  readonly annotation?: ForeignType;
  /** The value of a number, or the milliseconds of a time. */
  readonly number?: number | bigint;
}

const text = (name: string, value: string): ForeignValue => ({ name, edm: "Edm.String", value });
const int32 = (value: number): ForeignValue => ({
  name: `Int32 ${value}`,
  edm: "Edm.Int32",
  value,
  number: value,
});
const bool = (value: boolean): ForeignValue => ({ name: `Boolean ${value}`, edm: "Edm.Boolean", value });
const typed = (
  edm: ForeignType,
  value: string | number,
  number?: number | bigint,
  name = String(value),
): ForeignValue => ({
  name: `${edm.slice(4)} ${name}`,
  edm,
  value,
  annotation: edm,
  ...(number !== undefined && { number }),
});
const int64 = (value: bigint): ForeignValue => typed("Edm.Int64", String(value), value);
const time = (value: string): ForeignValue =>
  typed("Edm.DateTime", value, Date.parse(value.replace(/(\.\d{3})\d*Z/, "$1Z")));

/**
 * Every type in each spelling of the service and other clients. Sources: learn.microsoft.com "Payload format
 * for Table service operations" (reported types, INF and NaN as text), "Understanding the Table service data
 * model" (ranges), "Formatting DateTime values" (up to 7 digits).
 */
export const foreignValues: readonly ForeignValue[] = [
  text("empty text", ""),
  text("plain text", "hello"),
  text("text of an enum", "open"),
  text("text of an enum that a newer release knows", "later"),
  text("text that begins with U+FEFF", "\uFEFFx"),
  text("text with NUL, quotes and a line end", 'a\u0000"\\\n\u2028'),
  text("text beyond the basic plane", "😀e\u0301"),
  text("the longest text", "x".repeat(32_768)),
  text("digits as text", "12"),
  text("a time as text", "2024-02-29T23:59:59Z"),
  text("a GUID as text", "4185404a-5818-48c3-b9be-f217df0dba6f"),
  text("base64 as text", "AAEC"),
  text("true as text", "true"),
  text("an address as text", "https://partita.example/?q=%20#x"),
  text("JSON", '{"a":[1,{"b":null}]}'),
  text("JSON with other spacing", '{ "a" : 1.0 }'),
  text("JSON of a number", "1e3"),
  text("JSON of a number beyond Double", '{"a":1e999}'),
  text("JSON with a member twice", '{"a":1,"a":2}'),
  text("JSON of __proto__", '{"__proto__":{"a":1}}'),
  text("JSON of 5,000 levels", "[".repeat(5000) + "]".repeat(5000)),
  text("JSON of 5,000 objects", '{"a":'.repeat(5000) + "1" + "}".repeat(5000)),
  ...[0, 1, -1, 5, 2_147_483_647, -2_147_483_648].map(int32),
  { ...int32(7), name: "Int32 7 with its type", annotation: "Edm.Int32" },
  ...[0n, 5n, -1n, 2_147_483_648n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)].map(int64),
  { name: "Double 1.5 without a type", edm: "Edm.Double", value: 1.5, number: 1.5 },
  { name: "Double 0.1 without a type", edm: "Edm.Double", value: 0.1, number: 0.1 },
  ...[1.5, 5, -5, 0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE].map((value) => typed("Edm.Double", value, value)),
  typed("Edm.Double", "NaN", Number.NaN),
  typed("Edm.Double", "Infinity", Number.POSITIVE_INFINITY),
  typed("Edm.Double", "-Infinity", Number.NEGATIVE_INFINITY),
  typed("Edm.Double", "INF", Number.POSITIVE_INFINITY),
  typed("Edm.Double", "5.0", 5, "5.0 as text"),
  bool(true),
  bool(false),
  ...[
    "2024-02-29T23:59:59Z",
    "2024-02-29T23:59:59.1Z",
    "2024-02-29T23:59:59.123Z",
    "2013-08-02T17:37:43.9004348Z",
    "1601-01-01T00:00:00Z",
    "1700-01-01T00:00:00.1234567Z",
    "9999-12-31T23:59:59.9999999Z",
  ].map(time),
  typed("Edm.Guid", "4185404a-5818-48c3-b9be-f217df0dba6f"),
  typed("Edm.Guid", "4185404A-5818-48C3-B9BE-F217DF0DBA6F"),
  ...["", "AA==", "AAE=", "AAEC", "////"].map((value) => typed("Edm.Binary", value)),
  typed("Edm.Binary", "A".repeat(87_380) + "AA==", undefined, "of 64 KiB"),
];

/**
 * Valid keys that programs seldom expect. Source: learn.microsoft.com "Understanding the Table service data
 * model".
 */
export const foreignKeys: readonly string[] = [
  "",
  " ",
  "a",
  "A",
  "é",
  "e\u0301",
  "😀",
  "'",
  "''",
  "%20",
  "a+b&c=d",
  "__proto__",
  "constructor",
  "0",
  "-1",
  "~",
  "{}",
  "\uFEFF",
  "x".repeat(512),
];

/** The types that a class may declare: the property types of the library by name. */
export type DeclaredType =
  | "text"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  | "dateTime"
  | "ticks"
  | "guid"
  | "binary"
  | "json"
  | "enum"
  | "convert";

/**
 * The EDM type that each declared type writes. The enum accepts "open" and "done"; the converter creates
 * addresses (URL).
 */
export const declaredTypes: Readonly<Record<DeclaredType, ForeignType>> = {
  text: "Edm.String",
  bool: "Edm.Boolean",
  int32: "Edm.Int32",
  int64: "Edm.Int64",
  double: "Edm.Double",
  dateTime: "Edm.DateTime",
  ticks: "Edm.DateTime",
  guid: "Edm.Guid",
  binary: "Edm.Binary",
  json: "Edm.String",
  enum: "Edm.String",
  convert: "Edm.String",
};

/** The expected result of reading a value as a declared type: its plain form, or the code of the error. */
export type ForeignReading = { readonly plain: unknown } | { readonly refused: string };

/**
 * The expected reading of one cell. A value of the type's own EDM type is read unchanged. Int32 can be read
 * as Double and as Int64, because JavaScript clients store whole numbers that way (`@azure/data-tables`
 * writes 5 as Int32). Every other pair is refused.
 */
export function readingOf(declared: DeclaredType, { edm, value, number }: ForeignValue): ForeignReading {
  const own = declaredTypes[declared];
  if (edm === "Edm.Int32" && declared === "double") return { plain: number };
  if (edm === "Edm.Int32" && declared === "int64") return { plain: BigInt(value as number) };
  if (edm !== own) return { refused: "edm.mismatch" };
  switch (declared) {
    case "text":
    case "bool":
    case "int32":
      return { plain: value };
    case "int64":
    case "double":
      return { plain: number };
    case "dateTime":
      return { plain: number };
    case "ticks":
      return { plain: withSevenDigits(String(value)) };
    case "guid":
      return { plain: String(value).toLowerCase() };
    case "binary":
      return { plain: value };
    case "json":
      return parsed(String(value));
    case "enum":
      return value === "open" || value === "done" ? { plain: value } : { refused: "edm.malformed" };
    case "convert":
      return URL.canParse(String(value))
        ? { plain: new URL(String(value)).href }
        : { refused: "edm.conversion-failed" };
    default:
      return declared satisfies never;
  }
}

function parsed(value: string): ForeignReading {
  try {
    return { plain: JSON.parse(value) as unknown };
  } catch {
    return { refused: "edm.malformed" };
  }
}

const withSevenDigits = (value: string): string => {
  const [seconds, digits = ""] = value.slice(0, -1).split(".");
  return `${seconds}.${digits.padEnd(7, "0")}Z`;
};

/** The canonical form of a stored value: equal for all spellings of the same value. */
export function canonicalOf(
  value: string | number | boolean | undefined,
  annotation: string | number | boolean | undefined,
): string {
  const edm = annotation ?? plainTypeOf(value);
  switch (edm) {
    case "Edm.Double":
      return `${edm} ${String(value === "INF" ? Infinity : Number(value))}`;
    case "Edm.DateTime":
      return `${edm} ${withSevenDigits(String(value))}`;
    case "Edm.Guid":
      return `${edm} ${String(value).toLowerCase()}`;
    default:
      return `${edm} ${value}`;
  }
}

function plainTypeOf(value: unknown): ForeignType | "absent" {
  if (value === undefined) return "absent";
  if (typeof value === "string") return "Edm.String";
  if (typeof value === "boolean") return "Edm.Boolean";
  return Number.isInteger(value) ? "Edm.Int32" : "Edm.Double";
}
