import { createHmac } from "node:crypto";
import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import { parseResponse, parsePage, toStoredEntity } from "../../../src/stores/azure/wire/entity-json.ts";
import { jsonFormat } from "../../../src/stores/azure/wire/wire-format.ts";
import { requestSigner } from "../../../src/stores/azure/credentials/sign-request.ts";
import { printEntity } from "../../../src/values/edm/print-entity.ts";

test.each([
  ['{"D":7.0}', { "D@odata.type": "Edm.Double", D: 7 }],
  ['{"A":1,"D":-7.0}', { A: 1, "D@odata.type": "Edm.Double", D: -7 }],
  ['{"D":1.5E+3,"E":1e21}', { "D@odata.type": "Edm.Double", D: 1500, "E@odata.type": "Edm.Double", E: 1e21 }],
  ['{"D":7.5,"I":7}', { D: 7.5, I: 7 }],
  ['{"gr\\u00f6\\u00dfe":7.0}', { "größe@odata.type": "Edm.Double", größe: 7 }],
  ['{"Z":-0.0}', { "Z@odata.type": "Edm.Double", Z: "-0.0" }],
  ['{"ä":1.0}', { "ä@odata.type": "Edm.Double", ä: 1 }],
  ['{"D":3.00}', { "D@odata.type": "Edm.Double", D: 3 }],
  ['{"D":3.000,"I":3}', { "D@odata.type": "Edm.Double", D: 3, I: 3 }],
  ['{"D":3.00 ,"I":3}', { "D@odata.type": "Edm.Double", D: 3, I: 3 }],
  ['{"D":1.0E7}', { "D@odata.type": "Edm.Double", D: 10_000_000 }],
  ['{"D":1.0e7}', { "D@odata.type": "Edm.Double", D: 10_000_000 }],
  ['{"D":1E5,"I":7}', { "D@odata.type": "Edm.Double", D: 100_000, I: 7 }],
  ['{"D":10E-1}', { "D@odata.type": "Edm.Double", D: 1 }],
  ['{"D":1e+5}', { "D@odata.type": "Edm.Double", D: 100_000 }],
  ['{"Z":-0.00}', { "Z@odata.type": "Edm.Double", Z: "-0.0" }],
  ['{"Z":-0E+5}', { "Z@odata.type": "Edm.Double", Z: "-0.0" }],
])("knows Doubles by their point: %s", (text, entity) => {
  expect(parseResponse(text)).toEqual(entity);
});

propertyTest.prop(
  [
    fc.dictionary(
      fc.constantFrom("a", "b_1", "Long"),
      fc.oneof(hostileText(30), fc.constantFrom('":7.0,"', '"a":7.0,', '\\":1.0}', ',"x":1e5,', ":7.0,")),
    ),
  ],
  { numRuns: 5000 },
)("text inside of values is never taken for a number", (entity) => {
  expect(parseResponse(JSON.stringify({ ...entity, Double: 0.5 }).replace("0.5", "3.0"))).toEqual({
    ...entity,
    "Double@odata.type": "Edm.Double",
    Double: 3,
  });
});

const wholeDouble = fc
  .tuple(
    fc.integer(),
    fc.constantFrom(".0", ".00", ".000000000000000", "E0", "E1", "E+2", "e+2", ".0E3", ".0e3", ".25E2"),
  )
  .map(([number, end]) => `${number}${end}`);
// Timestamps, GUIDs, sums and base64, which have what numbers are searched by.
const lookalike = fc.oneof(
  fc.constantFrom("2026-01-01T00:00:00.0000000Z", "3E5F-3E5,", "1+1", "a1E+b", "9E+9", "v1.0.0", "1.0"),
  hostileText(10),
);

propertyTest.prop([wholeDouble, lookalike, lookalike, fc.boolean()], { numRuns: 2000 })(
  "a whole Double is found wherever it stands in a page, however many zeros or which exponent it has",
  (number, before, after, isLast) => {
    const [head, tail] = [`"A":${JSON.stringify(before)}`, `"Z":${JSON.stringify(after)},"I":7`];
    const text = isLast ? `{${head},${tail},"D":${number}}` : `{${head},"D":${number},${tail}}`;
    const value = Number(number);
    const D = Object.is(value, -0) ? "-0.0" : value;

    expect(parseResponse(text)).toEqual({ A: before, Z: after, I: 7, "D@odata.type": "Edm.Double", D });
  },
);

test("drops nulls, links and types of system properties", () => {
  const response = {
    "odata.metadata": "x",
    "odata.etag": "e",
    PartitionKey: "p",
    RowKey: "r",
    "Timestamp@odata.type": "Edm.DateTime",
    Timestamp: "t",
    "B@odata.type": "Edm.String",
    B: null,
    C: 1,
  };

  expect(toStoredEntity(response)).toEqual({
    "odata.etag": "e",
    PartitionKey: "p",
    RowKey: "r",
    Timestamp: "t",
    C: 1,
  });
});

test("prints keys and the user's properties only, and minus zero as a number", () => {
  const entity = {
    PartitionKey: "p",
    RowKey: "r",
    Timestamp: "t",
    "odata.etag": "e",
    "D@odata.type": "Edm.Double",
    D: "-0.0",
    A: 1,
  };

  expect(printEntity(entity)).toBe(
    '{"PartitionKey":"p","RowKey":"r","D@odata.type":"Edm.Double","D":-0.0,"A":1}',
  );
});

propertyTest.prop([fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.string()], { numRuns: 500 })(
  "signs as HMAC-SHA256 does, for keys of any length",
  (bytes, path) => {
    const key = Buffer.from(bytes);
    const parts = { method: "GET", path: `/${path}`, contentType: "", date: "Sat, 21 Nov 2026 00:52:49 GMT" };
    const lite = `${parts.date}\n/acct${parts.path}`;
    const full = `GET\n\n\n${parts.date}\n/acct${parts.path}`;
    const hmac = (text: string): string => createHmac("sha256", key).update(text).digest("base64");

    expect(requestSigner("acct", key, "SharedKeyLite")(parts)).toBe(`SharedKeyLite acct:${hmac(lite)}`);
    expect(requestSigner("acct", key, "SharedKey")(parts)).toBe(`SharedKey acct:${hmac(full)}`);
  },
);

test.each(["1e999", "-1e999", "1E+400", `1${"0".repeat(309)}`, `1${"0".repeat(309)}.5`])(
  "an answer with the number %s, which is no Double, is refused and not read as Infinity",
  (number) => {
    const refusal = expect.objectContaining({
      name: "StorageError",
      code: "storage.malformed-response",
      message: expect.stringContaining("a number is outside the range of Double") as string,
    }) as Error;
    for (const type of ["", '"D@odata.type":"Edm.Double",']) {
      const entity = `{"PartitionKey":"p","RowKey":"r",${type}"D":${number},"E":1}`;
      const good = '{"PartitionKey":"p","RowKey":"q","D":1e308}';

      expect(() => jsonFormat("minimal").parseEntity(entity)).toThrow(refusal);
      for (const isSelection of [false, true])
        expect(() => parsePage(`{"value":[${good},${entity}]}`, isSelection)).toThrow(refusal);
    }
  },
);

const link = fc.oneof(
  fc.constantFrom("https://a/$metadata#T/@Element", "", '"', "\\", '",', '\\",'),
  hostileText(),
);
const others = fc.constantFrom(
  {},
  { n: 1, w: 7.5 },
  { "odata.type": "x" },
  { "odata.metadata2": "y", note: "},{" },
);

propertyTest.prop([link, others, fc.boolean()])(
  "one entity is read without the link to its metadata, wherever it stands and whatever it holds",
  (metadata, members, isFirst) => {
    const entity = { PartitionKey: "p", RowKey: "r", ...members };
    const response = isFirst
      ? { "odata.metadata": metadata, ...entity }
      : { ...entity, "odata.metadata": metadata };

    const read = jsonFormat("minimal").parseEntity(JSON.stringify(response));

    expect(read).toEqual(toStoredEntity(entity));
  },
);

test.each([
  '{"odata.metadata":"x"}',
  '{"odata.metadata":"x',
  '{"odata.metadata":"x",',
  '{"odata.metadata":"x",}',
])("%s is no entity", (text) => {
  let read;
  try {
    read = jsonFormat("minimal").parseEntity(text);
  } catch (error) {
    read = error;
  }

  expect(read === undefined || read instanceof SyntaxError).toBe(true);
});
