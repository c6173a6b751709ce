import type { StoredEntity } from "@partita/core/storage";

/** Rows of every EDM type with the least and the greatest values, and texts that terminals must not be given. */
export const extremes: readonly StoredEntity[] = [
  typed("least", {
    Int32: [-2_147_483_648],
    Int64: ["-9223372036854775808", "Edm.Int64"],
    Double: ["-0.0", "Edm.Double"],
    Denormal: [5e-324, "Edm.Double"],
    DateTime: ["1601-01-01T00:00:00.0000000Z", "Edm.DateTime"],
    Guid: ["00000000-0000-0000-0000-000000000000", "Edm.Guid"],
    Binary: ["", "Edm.Binary"],
    Text: [""],
    Flag: [false],
  }),
  typed("greatest", {
    Int32: [2_147_483_647],
    Int64: ["9223372036854775807", "Edm.Int64"],
    Double: [Number.MAX_VALUE, "Edm.Double"],
    Infinite: ["Infinity", "Edm.Double"],
    Less: ["-Infinity", "Edm.Double"],
    NaN: ["NaN", "Edm.Double"],
    DateTime: ["9999-12-31T23:59:59.9999999Z", "Edm.DateTime"],
    Guid: ["ffffffff-ffff-ffff-ffff-ffffffffffff", "Edm.Guid"],
    Binary: [Buffer.alloc(65_536, 255).toString("base64"), "Edm.Binary"],
    Text: ["ü".repeat(32_768)],
    Flag: [true],
  }),
  typed("hostile, \u{1f600}", {
    Text: ['\u001b[31m\r\n"=1+1",\u202e\u2028\u0000\u0085'],
    ["__proto__"]: ["own"],
    Whole: [5, "Edm.Double"],
  }),
];

function typed(
  RowKey: string,
  values: Readonly<Record<string, readonly [string | number | boolean, string?]>>,
): StoredEntity {
  const members = Object.entries(values).flatMap(([name, [value, type]]) => [
    ...(type === undefined ? [] : [[`${name}@odata.type`, type] as const]),
    [name, value] as const,
  ]);
  return Object.fromEntries([["PartitionKey", "a"], ["RowKey", RowKey], ...members]) as StoredEntity;
}
