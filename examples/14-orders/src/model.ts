// Customers and orders of several tenants. Contexts set the tenant, ids and times are generated, and an order
// and its lines share a partition. In the first version, the note of an order was called "Remark".
import { dateTime, text } from "@partita/core";
import { rename, upgrades } from "@partita/core/upgrades";
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
  Version,
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
@Version(
  2,
  upgrades({
    customer: text(),
    Remark: text().optional(),
    createdAt: dateTime(),
    updatedAt: dateTime(),
  }).to(2, rename("Remark", "note")),
)
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
