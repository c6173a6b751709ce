import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ContextOptions,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  int32,
  json,
  openStorage,
  SaveError,
  standardSchema,
  TableContext,
  text,
  ValidationError,
} from "../../../src/index.ts";
import type { StandardSchema } from "../../../src/models.ts";

class User extends defineEntity({
  table: "Users",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { mail: text(), age: int32(), address: json<{ readonly city: string }>().optional() },
}) {}

class Plain extends defineEntity({
  table: "Plain",
  partitionKey: { tenant: text() },
  rowKey: { id: text() },
  properties: { at: dateTime().optional() },
}) {}

const schemas: Readonly<Record<string, StandardSchema<Pick<User, "mail" | "age" | "address">>>> = {
  zod: z.object({
    mail: z.email(),
    age: z.number().max(120),
    address: z.object({ city: z.string().min(2) }).optional(),
  }),
  valibot: v.object({
    mail: v.pipe(v.string(), v.email()),
    age: v.pipe(v.number(), v.maxValue(120)),
    address: v.optional(v.object({ city: v.pipe(v.string(), v.minLength(2)) })),
  }),
  arktype: type({
    mail: "string.email",
    age: "number <= 120",
    "address?": type({ city: "string >= 2" }).or("undefined"),
  }),
};

async function contextWith(validate: ContextOptions["validate"]): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [User, Plain]);
  return new TableContext(storage, validate === undefined ? {} : { validate });
}

const failureOf = async (context: TableContext): Promise<SaveError> =>
  context.saveChanges().then(
    () => expect.unreachable("expected a rejection"),
    (error: SaveError) => error,
  );

describe.each(Object.entries(schemas))("a schema of %s", (_library, schema) => {
  test("refuses an entity by class, key, property path and message, without a value", async () => {
    const context = await contextWith(standardSchema(User, schema));
    context.create(User, { tenant: "t", id: "good", mail: "a@example.org", age: 30 });
    context.create(User, { tenant: "t", id: "bad", mail: "hush hush", age: 7777, address: { city: "Q" } });

    const error = await failureOf(context);

    expect(error).toBeInstanceOf(SaveError);
    expect(error.code).toBe("save.invalid");
    expect(error.message).toMatch(/User in Users \("t", "bad"\) is not valid: /);
    const invalid = error.results.map((result) => result.error).find((one) => one instanceof ValidationError);
    const violations = invalid?.violations ?? [];
    expect(violations.map(({ property }) => property).toSorted()).toEqual(["address.city", "age", "mail"]);
    expect(violations.find(({ property }) => property === "age")?.message).toContain("120");
    expect(JSON.stringify([error.message, violations])).not.toMatch(/hush|7777|"Q|Q"/);
  });

  test("lets a corrected entity be saved", async () => {
    const context = await contextWith(standardSchema(User, schema));
    const user = context.create(User, { tenant: "t", id: "1", mail: "none", age: 30 });
    await failureOf(context);

    user.mail = "a@example.org";

    expect(await context.saveChanges()).toMatchObject([{ outcome: "committed" }]);
  });
});

test("entities of other classes are accepted, and those of subclasses are checked", async () => {
  class Person extends defineEntity({
    table: "Users",
    partitionKey: { tenant: text() },
    rowKey: { id: text() },
    properties: { age: int32() },
  }) {}
  class Admin extends defineKind(Person, { kind: "Admin", properties: { level: int32() } }) {}
  const context = await contextWith(standardSchema(Person, z.object({ age: z.number().max(120) })));
  context.create(Plain, { tenant: "t", id: "1" });
  context.create(Admin, { tenant: "t", id: "1", age: 121, level: 1 });

  const error = await failureOf(context);

  expect(
    error.results.map(({ subject, error: cause }) => [subject, cause instanceof ValidationError]),
  ).toEqual(
    expect.arrayContaining([
      ['Admin in Users ("t", "1")', true],
      ['Plain in Plain ("t", "1")', false],
    ]),
  );
});

test("several validators are asked, and every violation is listed", async () => {
  const context = await contextWith([
    standardSchema(User, schemas["zod"] as StandardSchema<User>),
    standardSchema(
      User,
      z.object({ id: z.string() }).refine(async ({ id }) => Promise.resolve(id !== "1"), "is reserved"),
    ),
    () => [{ property: "age", message: "must be even" }],
  ]);
  context.create(User, { tenant: "t", id: "1", mail: "none", age: 31 });

  const error = await failureOf(context);

  expect(error.message).toContain(
    "is not valid: mail: Invalid email address; is reserved; age: must be even.",
  );
});

test("what a schema makes of a value is not stored", async () => {
  const context = await contextWith(
    standardSchema(User, z.object({ mail: z.string().transform((mail) => mail.toUpperCase()) })),
  );
  const user = context.create(User, { tenant: "t", id: "1", mail: "a", age: 1 });

  await context.saveChanges();

  expect(user.mail).toBe("a");
});

test("what is no schema, and what is no validator, is refused at once", async () => {
  const notASchema = { parse: () => undefined };

  expect(() => standardSchema(User, notASchema as never)).toThrow(
    expect.objectContaining({
      code: "context.schema",
      message: expect.stringContaining("zod 3.24") as unknown,
    }),
  );
  expect(() => standardSchema("User" as never, z.object({}) as never)).toThrow(
    expect.objectContaining({ code: "context.schema" }),
  );
  await expect(contextWith([z.object({})] as never)).rejects.toMatchObject({ code: "context.option" });
});
