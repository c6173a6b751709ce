// Every decorator, and the key formats for them.

export {
  type CheckVersion,
  type EntityDecorator,
  Kind,
  type KindOptions,
  Table,
  type TableDecoratorOptions,
  Version,
  type VersionDecorator,
} from "./class-decorators.ts";
export { Children, type ChildrenOptions } from "./children.ts";
export { Convert, Enum, Json } from "./conversion-decorators.ts";
export { Embedded, type EmbeddedOptions } from "./embedded.ts";
export { Decimal, Instant, PlainDate } from "./ordered-decorators.ts";
export { Binary, Bool, DateTime, Double, Guid, Int32, Int64, Text } from "./edm-decorators.ts";
export type { CheckField, FieldDecorator, FieldOptions } from "./field-decorator.ts";
export {
  type CheckIndex,
  Index,
  type IndexDecorator,
  type IndexOptions,
  Unique,
  type UniqueOptions,
} from "./index-decorators.ts";
export { PartitionKey, RowKey } from "./key-decorators.ts";
export { Property } from "./property.ts";
export { CreatedAt, UpdatedAt } from "./save-decorators.ts";
export { ETag, NotStored, Timestamp } from "./system-decorators.ts";

export * from "@partita/core/keys";
export { type GeneratedKey, indexNames, type Key, type ScopedKey } from "@partita/core/models";
