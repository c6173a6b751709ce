import { createTables, openStorage, type SaveError, standardSchema, TableContext } from "@partita/core";
import { PartitionKey, RowKey, Table, Text } from "@partita/decorators";
import { classValidator } from "@partita/decorators/class-validator";
import { Length, registerDecorator } from "class-validator";
import { expect, test } from "vitest";
import { z } from "zod";

@Table("Users")
class User {
  @PartitionKey() tenant!: string;
  @RowKey() id!: string;
  @Text() name!: string;
}

async function contextWith(validate: ReturnType<typeof classValidator>): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [User]);
  return new TableContext(storage, { validate });
}

const failureOf = async (context: TableContext): Promise<SaveError> =>
  context.saveChanges().then(
    () => expect.unreachable("expected a rejection"),
    (error: SaveError) => error,
  );

test("class-validator's own decorators fail under standard decorators", () => {
  expect(() => {
    class Wrong {
      @(Length(1, 5) as (target: unknown, context: unknown) => void) name = "";
    }
    return Wrong;
  }).toThrow(TypeError);
});

test("classValidator() refuses a class that can have no constraints, and names what to use", async () => {
  const context = await contextWith(classValidator());
  context.create(User, { tenant: "t", id: "1", name: "n" });

  const error = await failureOf(context);

  expect(error.results[0]?.error).toMatchObject({
    code: "model.class-validator",
    message: expect.stringMatching(
      /cannot check User: .*"experimentalDecorators": true.*standardSchema\(User, schema\)/,
    ) as unknown,
  });
});

test("constraints registered by hand are checked", async () => {
  @Table("Users")
  class Named extends User {}
  registerDecorator({ target: Named, propertyName: "name", validator: { validate: (name) => name !== "" } });
  const context = await contextWith(classValidator());
  context.create(Named, { tenant: "t", id: "1", name: "" });

  const error = await failureOf(context);

  expect(error.results[0]?.error).toMatchObject({
    code: "entity.invalid",
    violations: [{ property: "name" }],
  });
});

test("a schema checks a class that is declared by standard decorators", async () => {
  const context = await contextWith(standardSchema(User, z.object({ name: z.string().min(2) })));
  context.create(User, { tenant: "t", id: "1", name: "n" });

  const error = await failureOf(context);

  expect(error.message).toMatch(/User in Users \("t", "1"\) is not valid: name: Too small/);
});
