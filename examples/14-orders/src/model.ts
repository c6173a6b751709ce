// Customers and orders of several tenants. Contexts fill the tenant in, ids and times fill themselves, and an order and its
// lines share a partition.
import {
  Children,
  CreatedAt,
  Decimal,
  escaped,
  type GeneratedKey,
  Int32,
  type Key,
  Kind,
  padded,
  PartitionKey,
  RowKey,
  type ScopedKey,
  Table,
  Text,
  ulid,
  Unique,
  UpdatedAt,
} from "@partita/decorators";

@Table("Customers", { scopedBy: "tenant" })
export class Customer {
  @PartitionKey(escaped) tenant!: ScopedKey<string>;
  @RowKey(ulid) id!: GeneratedKey<string>;
  @Text() name!: string;
  @Unique("MAIL:") @Text() email!: string;
}

@Table("Orders", { separator: "!", scopedBy: "tenant" })
abstract class OrderRow {
  @PartitionKey(escaped) tenant!: ScopedKey<string>;
  @RowKey(ulid) id!: GeneratedKey<string>;
}

@Kind("Order")
export class Order extends OrderRow {
  @Text() customer!: string;
  @Text({ optional: true }) note?: string;
  @CreatedAt() createdAt!: Date;
  @UpdatedAt() updatedAt!: Date;
  @Children(() => Line, { owned: true }) lines?: Children<Line>;
}

@Kind("Line")
export class Line extends OrderRow {
  @RowKey(padded(4)) no!: Key<number>;
  @Text() article!: string;
  @Int32() count = 1;
  @Decimal({ scale: 2, as: "units" }) price!: bigint;
}
