import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineEntity, type EntityValidator, int32, standardSchema, text } from "../../../src/index.ts";

class User extends defineEntity({
  table: "Users",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { mail: text(), age: int32().optional() },
}) {}

test("schemas of zod, valibot and arktype are taken, for some or all of the properties", () => {
  expectTypeOf(
    standardSchema(User, z.object({ mail: z.email(), age: z.number().optional() })),
  ).toEqualTypeOf<EntityValidator>();
  standardSchema(User, v.object({ tenant: v.string(), mail: v.pipe(v.string(), v.email()) }));
  standardSchema(User, type({ mail: "string.email" }));
  standardSchema(User, z.object({ mail: z.coerce.string() }));
});

test("a schema that does not take what the class holds does not compile", () => {
  // @ts-expect-error a User has no phone
  standardSchema(User, z.object({ phone: z.string() }));
  // @ts-expect-error mail is text
  standardSchema(User, v.object({ mail: v.number() }));
});
