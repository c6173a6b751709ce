import type { TableContext } from "@partita/core";
import { type GeneratedKey, type Key, PartitionKey, RowKey, Table, Text, ulid } from "@partita/decorators";
import { expectTypeOf, test } from "vitest";

@Table("Customers")
class Customer {
  @PartitionKey() tenant!: Key<string>;
  @RowKey(ulid) id!: GeneratedKey<string>;
  @Text({ default: () => "made" }) token!: string;
}

declare const context: TableContext;

test("a generated part of a key may be left out of a new entity, and not of a key", () => {
  const customer = context.create(Customer, { tenant: "acme" });
  context.create(Customer, { tenant: "acme", id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
  // @ts-expect-error the other part is required
  context.create(Customer, {});
  // @ts-expect-error a key is complete
  void context.find(Customer, { tenant: "acme" });

  expectTypeOf(customer.id).toExtend<string>();
});

test("a default function makes a value of the property", () => {
  // @ts-expect-error a number is no text
  Text({ default: () => 3 });
});
