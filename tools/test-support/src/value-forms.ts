/*
 * The accepted and refused forms of values, for all inputs of values as text: one table for each. Each form
 * has its source: documentation of the service, or an observation of it.
 */

/** A value as text, and its stored form. */
export interface ValueForm {
  readonly edm: string;
  readonly text: string;
  /** The value in stored form. Undefined if the text is refused. */
  readonly stored: string | number | boolean | undefined;
  /** Whether its annotation is stored with it. */
  readonly isTyped: boolean;
  /** The same as a constant of a filter. Undefined if filters have no such form. */
  readonly literal: string | undefined;
}

/** A text, its stored form, and its filter constant if that differs from the usual one. */
type Accepted = readonly [text: string, stored: string | number | boolean, literal?: string | undefined];

function forms(
  edm: string,
  literalOf: (text: string) => string | undefined,
  accepted: readonly Accepted[],
  refused: readonly string[],
): readonly ValueForm[] {
  const isTyped = (stored: ValueForm["stored"]): boolean =>
    edm === "Edm.Double"
      ? typeof stored === "string" || Number.isInteger(stored)
      : edm !== "Edm.Int32" && edm !== "Edm.Boolean";
  return [
    ...accepted.map(([text, stored, ...literal]) => {
      const found = literal.length > 0 ? literal[0] : literalOf(text);
      return { edm, text, stored, isTyped: isTyped(stored), literal: found };
    }),
    ...refused.map((text) => ({
      edm,
      text,
      stored: undefined,
      isTyped: false,
      // A number is not a Boolean, but it is a valid constant.
      literal: edm === "Edm.Boolean" ? undefined : literalOf(text),
    })),
  ];
}

/** Source: learn.microsoft.com "Formatting DateTime values". */
const dateTimes = forms(
  "Edm.DateTime",
  (text) => `datetime'${text}'`,
  [
    ["2023-02-01", "2023-02-01T00:00:00Z"],
    ["2023-02-01T10:00Z", "2023-02-01T10:00:00Z"],
    ["2023-02-01T10:00", "2023-02-01T10:00:00Z"],
    ["2023-02-01T10:00+01:00", "2023-02-01T09:00:00Z"],
    ["2020-11-16T04:25:03-05:00", "2020-11-16T09:25:03Z"],
    ["2020-11-16T04:25:03+00:00", "2020-11-16T04:25:03Z"],
    ["2023-02-01T00:30:00+23:59", "2023-01-31T00:31:00Z"],
    ["2023-02-01T23:30:00-23:59", "2023-02-02T23:29:00Z"],
    ["2020-11-16T04:25:03Z", "2020-11-16T04:25:03Z"],
    ["2020-11-16T04:25:03", "2020-11-16T04:25:03Z"],
    ["2020-11-16T04:25:03.5Z", "2020-11-16T04:25:03.5Z"],
    ["2020-11-16T04:25:03.1234567", "2020-11-16T04:25:03.1234567Z"],
    ["2020-11-16T04:25:03.1234567+01:00", "2020-11-16T03:25:03.1234567Z"],
    ["2024-02-29", "2024-02-29T00:00:00Z"],
  ],
  [
    "2023-02-29",
    "2023-13-01",
    "2023-00-10",
    "2023-02-01T24:00Z",
    "2023-02-01T10:60Z",
    "2023-02-01T10:00:60Z",
    "2023-02-01T10Z",
    "2023-02-01T10:00:00.Z",
    "2023-02-01T10:00:00,5Z",
    "2023-02-01T10:00:00.12345678Z",
    "2023-02-01T10:00+24:00",
    "2023-02-01T10:00+01",
    "2023-02-01T10:00+0100",
    "2023-02-01Z",
    "2023-02",
    "20230201",
    "02/01/2023",
    "Wed, 01 Feb 2023 10:00:00 GMT",
  ],
);

const aGuid = "4185404a-5818-48c3-b9be-f217df0dba6f";

/**
 * Source: learn.microsoft.com "Understanding the Table service data model". Capitals were observed on the
 * service.
 */
const guids = forms(
  "Edm.Guid",
  (text) => `guid'${text}'`,
  [
    [aGuid, aGuid],
    [aGuid.toUpperCase(), aGuid],
    ["4185404A-5818-48c3-B9BE-f217df0dba6f", aGuid],
  ],
  [aGuid.replaceAll("-", ""), `{${aGuid}}`, aGuid.slice(1), `${aGuid}0`, aGuid.replace("4", "g")],
);

/**
 * Source: learn.microsoft.com "Payload format for Table service operations". Zeros before a number were
 * observed on the service.
 */
const int64s = forms(
  "Edm.Int64",
  (text) => `${text}L`,
  [
    ["12", "12"],
    ["0012", "12"],
    ["-0012", "-12"],
    ["+12", "12", undefined],
    ["-0", "0"],
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
  ],
  ["9223372036854775808", "-9223372036854775809", "1.0", "1e3", "0x10", "1_000", "12L", "ten", "--1"],
);

const int32s = forms(
  "Edm.Int32",
  (text) => text,
  [
    ["12", 12],
    ["0012", 12],
    ["+12", 12, undefined],
    ["-0", 0],
    ["2147483647", 2_147_483_647],
    ["-2147483648", -2_147_483_648],
  ],
  ["2147483648", "-2147483649", "5454161346626", "0x10", "ten", "1 2"],
);

/** Source: learn.microsoft.com "Payload format for Table service operations", for NaN and the infinities. */
const doubles = forms(
  "Edm.Double",
  (text) => text,
  [
    ["1.5", 1.5],
    ["1.0", 1],
    ["1e3", 1000],
    ["1.5e1", 15],
    ["1E+16", 1e16],
    ["1e16", 1e16],
    ["-0.0", "-0.0"],
    ["1e-5", 1e-5],
    [".5", 0.5, undefined],
    ["5.", 5, undefined],
    ["NaN", "NaN", undefined],
    ["Infinity", "Infinity", undefined],
    ["INF", "Infinity", undefined],
    ["-Infinity", "-Infinity", undefined],
    ["-INF", "-Infinity", undefined],
  ],
  ["1e999", "-1e999", "1,5", "0x10", "1.5.2"],
);

/** Source: learn.microsoft.com "Querying tables and entities"; .NET prints True, XML has 1 and 0. */
const booleans = forms(
  "Edm.Boolean",
  (text) => text,
  [
    ["true", true],
    ["False", false],
    ["TRUE", true],
    ["1", true, undefined],
    ["0", false, undefined],
  ],
  ["yes", "2"],
);

const binaries = forms(
  "Edm.Binary",
  () => undefined,
  [
    ["AAE=", "AAE="],
    ["AAEC", "AAEC"],
  ],
  ["AAE", "AA-_", "AAE=="],
);

const all: readonly ValueForm[] = [
  ...dateTimes,
  ...guids,
  ...int64s,
  ...int32s,
  ...doubles,
  ...booleans,
  ...binaries,
];

/** The accepted forms. */
export const acceptedForms: readonly ValueForm[] = all.filter(({ stored }) => stored !== undefined);

/** The refused forms. */
export const refusedForms: readonly ValueForm[] = all.filter(({ stored }) => stored === undefined);

/**
 * JSON numbers without a type, and their meaning. Source: github.com/microsoft/AzureStorageExplorer #1382 for
 * whole numbers beyond Int32; learn.microsoft.com "Payload format for Table service operations" for the
 * others.
 */
export const untypedNumbers: readonly (readonly [json: string, edm: string, value: number | string])[] = [
  ["15", "Edm.Int32", 15],
  ["0", "Edm.Int32", 0],
  ["-0", "Edm.Int32", 0],
  ["2147483647", "Edm.Int32", 2_147_483_647],
  ["-2147483648", "Edm.Int32", -2_147_483_648],
  ["2147483648", "Edm.Double", 2_147_483_648],
  ["5454161346626", "Edm.Double", 5_454_161_346_626],
  ["10000000000000000", "Edm.Double", 1e16],
  ["1.5", "Edm.Double", 1.5],
  ["1.0", "Edm.Double", 1],
  ["1e1", "Edm.Double", 10],
  ["15e0", "Edm.Double", 15],
  ["1.5e1", "Edm.Double", 15],
  ["1.5E1", "Edm.Double", 15],
  ["1.5e+1", "Edm.Double", 15],
  ["150e-1", "Edm.Double", 15],
  ["1e16", "Edm.Double", 1e16],
  ["1E+16", "Edm.Double", 1e16],
  ["-1e16", "Edm.Double", -1e16],
  ["1e-1", "Edm.Double", 0.1],
  ["-0.0", "Edm.Double", "-0.0"],
];
