import { openStorage, type TableStorage } from "@partita/core";
import type { StoredEntity } from "@partita/core/storage";
import { readRows, type RowReader } from "@partita/core/internal";
import { storedEntity } from "@partita/testing/arbitraries";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printBody } from "../../src/wire/print-body.ts";
import { jsonEntity, jsonRow, metadataOf } from "../../src/wire/print-json.ts";

let storage: TableStorage;
beforeAll(async () => {
  storage = await openStorage("memory:");
});
afterAll(() => storage.close());

const place = { base: "http://127.0.0.1/a", account: "a", table: "Things" };

/** A row printed from its bytes and from its entity, at both levels; undefined where the bytes are left. */
async function printed(): Promise<{ bytes: string | undefined; entity: string }[]> {
  const { entities } = await storage.query("Things", {});
  const found: { bytes: string | undefined; entity: string }[] = [];
  for (const level of ["minimal", "none"] as const) {
    const readBody: RowReader["readBody"] = (body) => {
      const entity = entities[0] as StoredEntity;
      const alone = printBody(body, level, metadataOf(level, place, undefined))?.toString();
      found.push({
        bytes: printBody(body, level)?.toString(),
        entity: jsonRow(entity, undefined, level, place),
      });
      found.push({ bytes: alone, entity: jsonEntity(entity, undefined, level, place) });
      return undefined;
    };
    await readRows(storage, "Things", {}, { readBody, readList: () => undefined });
  }
  return found;
}

async function printedAfter(...writes: readonly StoredEntity[]): Promise<ReturnType<typeof printed>> {
  await storage.deleteTable("Things").catch(() => undefined);
  await storage.createTable("Things");
  const key = { PartitionKey: 'p\u2028"', RowKey: "r\ud83d\ude00" };
  for (const entity of writes) {
    const operation = { type: "upsert-merge", entity: { ...entity, ...key } } as const;
    await storage.write("Things", operation).catch(() => undefined);
  }
  return printed();
}

test("a row that is printed from its bytes is the row that is printed from its entity, merged ones too", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(storedEntity(), { minLength: 1, maxLength: 3 }), async (writes) => {
      for (const { bytes, entity } of await printedAfter(...writes)) expect(bytes ?? entity).toBe(entity);
    }),
    { numRuns: 300 },
  );
});

test.each<[name: string, properties: Record<string, string | number | boolean>]>([
  ["no properties", {}],
  ["each plain type", { s: 'a "b" \\ \u0001 ü', t: true, i: -5, d: 1.5 }],
  ["whole Doubles", { "d@odata.type": "Edm.Double", d: 7, "e@odata.type": "Edm.Double", e: -12 }],
  ["a Double with an exponent", { "d@odata.type": "Edm.Double", d: 1e300, x: 1 }],
  ["types that are text", { "l@odata.type": "Edm.Int64", l: "12", "b@odata.type": "Edm.Binary", b: "AQI=" }],
  ["text that looks like an annotation", { s: 'x@odata.type":"Edm.Double","x":1', x: "@odata.type" }],
  ["an annotation as text's end", { s: "x@odata.type", "t@odata.type": "Edm.Int64", t: "1" }],
  ["a name beyond ASCII", { "größe@odata.type": "Edm.Double", größe: 3 }],
])("%s: the bytes are printed", async (_name, properties) => {
  for (const { bytes, entity } of await printedAfter({ PartitionKey: "", RowKey: "", ...properties }))
    expect(bytes).toBe(entity);
});

test("after a merge that changes types, the bytes are still printed", async () => {
  const key = { PartitionKey: "", RowKey: "" };
  const found = await printedAfter(
    { ...key, a: 1, "b@odata.type": "Edm.Int64", b: "2", c: "x", "d@odata.type": "Edm.Double", d: 4 },
    { ...key, "a@odata.type": "Edm.Double", a: 5, b: true, "n@odata.type": "Edm.Int64", n: "9" },
  );

  for (const { bytes, entity } of found) expect(bytes).toBe(entity);
});

test("a Double that is no number of JSON is left to be parsed", async () => {
  const found = await printedAfter({ PartitionKey: "", RowKey: "", "d@odata.type": "Edm.Double", d: "NaN" });

  expect(found.map(({ bytes }) => bytes)).toEqual([undefined, undefined, undefined, undefined]);
});
