import type { Literal, StoredValue } from "@partita/core/storage";

/** A stored value, and its EDM type. */
export type Value = readonly [edm: Literal["edm"], value: StoredValue];

const of = (edm: Literal["edm"], ...values: readonly StoredValue[]): Value[] =>
  values.map((value) => [edm, value] as const);

const second = "2024-01-01T00:00:00";
const guid = "c9da6455-213d-42c9-9a79-3e9149a57833";

const base64Of = (text: string): string => Buffer.from(text.repeat(100)).toString("base64");

/** Values that are equal though they are written in other ways, or that begin as another one does. */
export const families: readonly (readonly Value[])[] = [
  [...of("Edm.Int32", 0), ...of("Edm.Int64", "0", "-0", "00"), ...of("Edm.Double", 0, "-0.0", "0e5", ".0")],
  [
    ...of("Edm.Int32", 5, 50, 51),
    ...of("Edm.Int64", "5", "005", "50"),
    ...of("Edm.Double", 5, 5.5, 50, "5.0", "+5", "0.5e1", "50E-1", "5."),
  ],
  [...of("Edm.Int32", -5), ...of("Edm.Int64", "-5", "-05"), ...of("Edm.Double", -5, "-5.0", -0.5)],
  [
    ...of("Edm.Int64", "9223372036854775807", "9223372036854775806", "9007199254740993"),
    ...of("Edm.Double", 2 ** 63, 9_007_199_254_740_992, "9223372036854775808"),
  ],
  of("Edm.Double", 5e-7, "0.0000005", 1e21, "1e21", "1000000000000000000000", 0.1, ".1"),
  of("Edm.Double", "NaN", "Infinity", "INF", "-Infinity", "-INF"),
  [
    ...of("Edm.DateTime", `${second}Z`, second, `${second}.0Z`, `${second}.0000000Z`, "2024-01-01T00:00:10Z"),
    ...of("Edm.DateTime", `${second}.1Z`, `${second}.100`, `${second}.1000000Z`, `${second}.1000001Z`),
    ...of("Edm.String", second),
  ],
  [...of("Edm.Guid", guid, guid.toUpperCase()), ...of("Edm.String", guid)],
  // Unused bits of the last character may be set.
  of("Edm.Binary", "", "QQ==", "QR==", "QUI=", "QUJ=", "QUJD", "QUJDRA==", "QUJDRB==", "+/+/"),
  // Bytes that are packed, and look like members.
  [
    ...of("Edm.Binary", base64Of('"n":5,"m":"5","n@odata.type":"Edm.Int64","n":"5"'), base64Of("x")),
    ...of("Edm.Int32", 5, 6),
    ...of("Edm.Int64", "5"),
    ...of("Edm.String", "5"),
  ],
  [...of("Edm.Boolean", true, false), ...of("Edm.String", "true")],
  of(
    "Edm.String",
    "",
    "5",
    "*",
    "?",
    "[a]",
    "a",
    "]",
    "[",
    '"',
    '"n":5',
    "\\",
    "\\u0000",
    "\0",
    "\n",
    "\u2028",
    "é",
  ),
  [493, 494, 495, 496].flatMap((length) =>
    of("Edm.String", ...["x", "y", "😀x", "😀y"].map((end) => "a".repeat(length) + end)),
  ),
];

/** A stored property. */
export function member(key: string, [edm, value]: Value): [string, StoredValue][] {
  const isPlain = edm === "Edm.String" || edm === "Edm.Int32" || edm === "Edm.Boolean";
  return isPlain
    ? [[key, value]]
    : [
        [`${key}@odata.type`, edm],
        [key, value],
      ];
}
