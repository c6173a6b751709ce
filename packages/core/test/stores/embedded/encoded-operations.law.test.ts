import { amountOf } from "@partita/test-support/effort";
import { fc } from "@fast-check/vitest";
import { randomClass } from "@partita/testing/arbitraries";
import { expect, test } from "vitest";
import { prepareOperation } from "../../../src/stores/embedded/prepare-operation.ts";
import { bytesOf, lengthOf, propertiesOf, textIn } from "../../../src/stores/embedded/row-body.ts";
import { compileCodec } from "../../../src/model/codec/compile-codec.ts";
import { keyOfEntity } from "../../../src/model/codec/entity-key.ts";
import { writeOf } from "../../../src/model/codec/encoded-write.ts";
import { loopCodec } from "../../../src/model/codec/loop-codec.ts";
import { restoreStored } from "../../../src/model/codec/snapshot.ts";
import { defineEntity, text } from "../../../src/index.ts";
import type { PropertyModel } from "../../../src/model/declaration/entity-model.ts";
import { modelOf } from "../../../src/models.ts";
import { checkOperation } from "../../../src/storage/check-write.ts";
import { printEntity } from "../../../src/values/edm/print-entity.ts";
import { jsonBytesOf } from "../../../src/storage/write-operation.ts";

/** Values at the borders of what can be stored, and beyond them. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    "\ud800",
    "x".repeat(32_768),
    "x".repeat(32_769),
    new Uint8Array(4095).fill(7),
    new Uint8Array(4096).fill(7),
    new Uint8Array(65_536),
    new Uint8Array(65_537),
    new Date(Number.NaN),
    new Date("1600-12-31T23:59:59.999Z"),
    new Date("1601-01-01T00:00:00Z"),
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    -0,
    "-0.0",
    "two\u2028lines",
    String.raw`\u2028`,
    2 ** 31,
    2n ** 63n,
    { toJSON: () => "\ud800" },
  ),
  fc.anything({ withBigInt: true, withDate: true }),
);

const isBinary = ({ serializer }: PropertyModel): boolean => serializer.edm === "Edm.Binary";

const drawn = randomClass("Things").chain(({ entityClass, values }) =>
  fc.record({ entityClass: fc.constant(entityClass), values }),
);

const runs = amountOf({ short: 500, full: 1500, long: 30_000 });

test("what an encoder makes passes every check of the stores, and is stored the same without them", () => {
  let refused = 0;
  let stored = 0;
  let bytes = 0;
  let packed = 0;
  fc.assert(
    fc.property(drawn, oddValue, fc.nat(11), (one, odd, at) => {
      const model = modelOf(one.entityClass);
      const key = keyOfEntity(model, one.values);
      // Bytes mostly where a class has some: elsewhere they are refused.
      const binary = odd instanceof Uint8Array && model.properties.find(isBinary);
      const place = at < 6 ? `p${at}` : binary ? binary.name : undefined;
      const entity = Object.assign(model.createBlank(), one.values, place !== undefined && { [place]: odd });
      for (const codec of [loopCodec(model), compileCodec(model) ?? loopCodec(model)]) {
        let image, written;
        try {
          written = codec.write(entity, key);
          image = restoreStored(model, key, written);
        } catch {
          refused++;
          continue;
        }
        stored++;
        for (const type of ["insert", "upsert-replace"] as const) {
          const checked = prepareOperation({ type, entity: image }, false);
          const unchecked = prepareOperation({ type, entity: image }, true);
          expect(unchecked).toEqual(checked);
          expect(unchecked.body).toBe(checked.body);
          expect(() => checkOperation({ type, entity: image })).not.toThrow();
          // As bytes, of a class that is compiled.
          const { body, ...encoded } = prepareOperation(writeOf(type, model, key, written.values), true);
          expect(encoded).toEqual({ ...checked, body: undefined });
          const json = Buffer.from(bytesOf(body)).toString();
          expect(json).toBe(textIn(checked.body));
          if (textIn(body) === undefined) bytes++;
          if (json.length > lengthOf(body)) packed++;
          expect(jsonBytesOf(writeOf(type, model, key, written.values))).toBe(
            Buffer.byteLength(printEntity(image)),
          );
        }
      }
    }),
    { numRuns: runs },
  );

  // Each is met often.
  expect(Math.min(refused, stored, bytes)).toBeGreaterThan(runs / 10);
  expect(packed).toBeGreaterThan(runs / 300);
});

test("a kind that the wire escapes is stored as it is", () => {
  class Odd extends defineEntity({
    table: "Odds",
    kind: "two\u2029lines",
    partitionKey: { group: text() },
    rowKey: { id: text() },
    properties: { note: text() },
  }) {}
  const model = modelOf(Odd);
  const entity = new Odd({ group: "a", id: "1", note: "x" });
  const key = keyOfEntity(model, entity);

  for (const codec of [loopCodec(model), compileCodec(model) ?? loopCodec(model)]) {
    const written = codec.write(entity, key);
    const { body } = prepareOperation(writeOf("insert", model, key, written.values), true);

    expect(propertiesOf(body)).toEqual({ Kind: "two\u2029lines", note: "x" });
    expect(Buffer.from(bytesOf(body)).toString()).toContain("two\u2029lines");
  }
});
