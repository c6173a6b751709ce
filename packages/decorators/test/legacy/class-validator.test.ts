import {
  createTables,
  openStorage,
  type SaveError,
  TableContext,
  type TableStorage,
  type ValidationError,
} from "@partita/core";
import { Double, Json, PartitionKey, RowKey, Table, Text } from "@partita/decorators";
import { classValidator } from "@partita/decorators/class-validator";
import { IsEmail, Length, Max, Min, ValidateNested } from "class-validator";
import { expect, test } from "vitest";

class Address {
  @Length(2, 20) city = "";
}

@Table("Users")
class User {
  @PartitionKey() tenant!: string;
  @RowKey() id!: string;
  @Text() @IsEmail() email!: string;
  @Double() @Min(0) @Max(120) age!: number;
  @Json<Address>({ optional: true }) @ValidateNested() address?: Address;
}

@Table("Plain")
class Plain {
  @PartitionKey() tenant!: string;
  @RowKey() id!: string;
}

async function context(): Promise<{ context: TableContext; storage: TableStorage }> {
  const storage = await openStorage("memory:");
  await createTables(storage, [User, Plain]);
  return { storage, context: new TableContext(storage, { validate: classValidator() }) };
}

test("failing constraints stop the save before any request and name entity, property and message", async () => {
  const { context: users, storage } = await context();
  users.create(User, { tenant: "t", id: "good", email: "a@example.org", age: 30 });
  users.create(User, {
    tenant: "t",
    id: "bad",
    email: "secret-value",
    age: 200,
    address: Object.assign(new Address(), { city: "x" }),
  });
  users.create(User, { tenant: "t", id: "worse", email: "secret-value", age: -1 });

  const error = await users.saveChanges().then(
    () => expect.unreachable("expected a rejection"),
    (e: SaveError) => e,
  );

  expect(error.code).toBe("save.invalid");
  expect(error.message).toContain("2 entities cannot be stored");
  expect(error.message).toMatch(/User in Users \("t", "bad"\) is not valid: email: .*must be an email/);
  expect(error.message).not.toContain("secret-value");
  const violations = error.results.map((result) =>
    (result.error as ValidationError | undefined)?.violations.map((v) => v.property),
  );
  expect(violations).toEqual([["email", "age", "address.city"], ["email", "age"], undefined]);
  expect((await storage.query("Users", {})).entities).toEqual([]);
  expect(users.pendingChanges()).toHaveLength(3);
});

test("corrected entities are saved, and classes without constraints are accepted", async () => {
  const { context: users } = await context();
  const user = users.create(User, { tenant: "t", id: "1", email: "nonsense", age: 30 });
  users.create(Plain, { tenant: "t", id: "1" });
  await expect(users.saveChanges()).rejects.toMatchObject({ code: "save.invalid" });

  user.email = "a@example.org";

  expect(await users.saveChanges()).toHaveLength(2);
});

test("removals are not validated", async () => {
  const { context: users } = await context();
  const user = users.create(User, { tenant: "t", id: "1", email: "a@example.org", age: 30 });
  await users.saveChanges();
  user.age = 999;
  users.remove(user);

  expect(await users.saveChanges()).toMatchObject([{ operation: "delete", outcome: "committed" }]);
});
