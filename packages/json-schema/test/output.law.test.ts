import { fc, test as propertyTest } from "@fast-check/vitest";
import { toPlain } from "@partita/core";
import { validatorOf } from "@partita/test-support/domain/plain-cases";
import { randomClass } from "@partita/testing/arbitraries";
import { expect } from "vitest";
import { inputSchema, jsonSchema } from "../src/index.ts";

propertyTest.prop(
  [randomClass("Random").chain(({ entityClass, values }) => fc.tuple(fc.constant(entityClass), values))],
  { numRuns: 200 },
)("P6: plain data of any storable entity is valid for its schema", ([entityClass, values]) => {
  const entity = Object.assign(new (entityClass as new () => object)(), values);
  const plain: unknown = JSON.parse(JSON.stringify(toPlain(entity)));

  const output = validatorOf(jsonSchema(entityClass, { for: "output" }));

  expect([output(plain), output.errors]).toEqual([true, null]);
  const { ["Kind"]: _kind, ...sent } = plain as Record<string, unknown>;
  expect(inputSchema(entityClass)["~standard"].validate(sent).issues).toBeUndefined();
});
