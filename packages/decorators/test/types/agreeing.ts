// Every property agrees with its options: compiles also without strictNullChecks.
import { type Converter, type Ticks } from "@partita/core";
import {
  Binary,
  Bool,
  Children,
  Convert,
  DateTime,
  Double,
  Enum,
  ETag,
  type FieldOptions,
  Guid,
  Int32,
  Int64,
  Json,
  newestFirst,
  PartitionKey,
  Property,
  RowKey,
  Table,
  Text,
  Timestamp,
} from "@partita/decorators";

const url: Converter<URL> = { toText: (value) => value.href, fromText: (value) => new URL(value) };
declare const unknownOptions: FieldOptions;

@Table("Agree")
export class Agree {
  @Text() text!: string;
  @Text({ optional: false }) plain!: string;
  @Int32() count!: number;
  @Int32() initialised = 0;
  @Text({ optional: true }) note?: string;
  @Text({ optional: true, name: "Note" }) wide?: string | undefined;
  @DateTime({ optional: true }) editedOn: Date | undefined = undefined;
  @DateTime({ optional: true, ticks: true }) exact?: Ticks;
  @Int32({ optional: true }) both?: number = 3;
  @Double({ optional: true }) readonly fixed?: number;
  @Guid({ optional: true }) id?: string;
  @Binary({ optional: true }) bytes?: Uint8Array;
  @Bool({ optional: true }) flag?: boolean;
  @Int64({ optional: true }) views?: bigint;
  @Json<string[]>({ optional: true, name: "Tags" }) tags?: string[];
  @Json<string[] | null>() nothing!: string[] | null;
  @Json() data!: unknown;
  @Json({ optional: true }) more?: unknown;
  @Json({ optional: true }) anything?: { readonly a: number } | null;
  @Enum(["a", "b"], { optional: true }) state?: "a" | "b";
  @Convert(url, { optional: true }) link?: URL;
  @Convert<URL>(url) home!: URL;
  @Property({ optional: true }) inferred?: string;
  @Property() known!: string;
  @Text(unknownOptions) either?: string;
  @Text(unknownOptions) other!: string;
  @PartitionKey() tenant!: string;
  @RowKey(newestFirst) at!: Date;
  @ETag() version?: string;
  @Timestamp() savedOn?: Date;
  @Children(() => Agree) children?: Children<Agree>;
}
