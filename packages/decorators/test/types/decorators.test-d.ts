// Compiled twice: with legacy and with standard decorators. Each line marked as an error must be one under both.
import { Ticks } from "@partita/core";
import {
  Bool,
  Convert,
  DateTime,
  Double,
  Enum,
  Int32,
  Int64,
  Json,
  Kind,
  newestFirst,
  padded,
  PartitionKey,
  RowKey,
  Table,
  Text,
  Version,
} from "@partita/decorators";
import { expectTypeOf, test } from "vitest";

@Table("Things")
export abstract class Base {
  @PartitionKey() tenant!: string;
  @RowKey(newestFirst) at!: Date;
  @Text() text!: string;
}

@Kind("Good")
@Version(2)
export class Good extends Base {
  constructor(readonly dependency: number) {
    super();
  }

  @Int64() required!: bigint;
  @Int64({ optional: true }) optional?: bigint;
  @Int64() readonly fixed!: bigint;
  @Text() literal!: "a" | "b";
  @Json<string[]>() tags: string[] = [];
  @Enum(["a", "b"]) state!: "a" | "b";
  @DateTime({ ticks: true }) exact!: Ticks;
  @Convert<URL>({ toText: (url) => url.href, fromText: (text) => new URL(text) }) link!: URL;
}

@Table("Bad")
export class Bad {
  // @ts-expect-error @Int64() needs a property of type bigint
  @Int64() number!: number;
  // @ts-expect-error a union is more than a bigint
  @Int64() union!: bigint | string;
  // @ts-expect-error any could be anything
  // oxlint-disable-next-line typescript/no-explicit-any
  @Int64() anything!: any;
  // @ts-expect-error @Int32() needs a property of type number
  @Int32() text!: string;
  // @ts-expect-error @Text() needs a property of type string
  @Text() date!: Date;
  // @ts-expect-error @Bool() needs a property of type boolean
  @Bool() flag!: number;
  // @ts-expect-error @DateTime() needs a property of type Date
  @DateTime() ticks!: Ticks;
  // @ts-expect-error this key format does not fit the property's type
  @RowKey(newestFirst) at!: string;
  // @ts-expect-error @RowKey() without a format needs a property of type string
  @RowKey() count!: number;
  // @ts-expect-error this key format does not fit the property's type
  @PartitionKey(padded(5)) name!: string;
  // @ts-expect-error a static property cannot be stored
  @Int64() static shared: bigint;
  // @ts-expect-error this decorator goes on a field
  @Int64() method(): void {}
  // @ts-expect-error the property may hold more than the values
  @Enum(["a", "b"]) wide!: string;
  @Double() fine!: number;
}

test("a decorated class keeps its own type", () => {
  expectTypeOf(new Good(1).tags).toEqualTypeOf<string[]>();
  expectTypeOf(new Good(1)).toExtend<Base>();
});
