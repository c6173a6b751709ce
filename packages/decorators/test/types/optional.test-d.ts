// Compiled with legacy and with standard decorators, with and without exactOptionalPropertyTypes, and by every version
// of TypeScript in tools/toolchains. Each line marked as an error must be one under all of them.
import { type Converter, type Ticks } from "@partita/core";
import {
  Binary,
  Bool,
  Convert,
  DateTime,
  Double,
  Enum,
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
} from "@partita/decorators";
import { expectTypeOf, test } from "vitest";
import { Agree } from "./agreeing.ts";

const url: Converter<URL> = { toText: (value) => value.href, fromText: (value) => new URL(value) };
const nullableUrl = url as Converter<URL | null>;

@Table("Missing")
export class OptionIsMissing {
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Text() text?: string;
  // @ts-expect-error undefined in the type is the same
  @Text() union!: string | undefined;
  // @ts-expect-error optional: false is no option for it
  @Text({ optional: false }) plain?: string;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Int32({ name: "N" }) named?: number;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Int64() views?: bigint;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Double() size?: number;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Bool() flag?: boolean;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @DateTime() at?: Date;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @DateTime({ ticks: true }) exact?: Ticks;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Guid() id?: string;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Binary() bytes?: Uint8Array;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Json<string[]>() tags?: string[];
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Json<string[]>({ name: "More" }) more?: string[];
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Enum(["a", "b"]) state?: "a" | "b";
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Convert(url) link?: URL;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Property() inferred?: string;
}

@Table("Vain")
export class OptionIsVain {
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Text({ optional: true }) text!: string;
  // @ts-expect-error a property with an initial value is never absent
  @Text({ optional: true }) initialised = "";
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Int32({ optional: true }) count!: number;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Int64({ optional: true }) views!: bigint;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Double({ optional: true }) size!: number;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Bool({ optional: true }) flag!: boolean;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @DateTime({ optional: true }) at!: Date;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @DateTime({ optional: true, ticks: true }) exact!: Ticks;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Guid({ optional: true }) id!: string;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Binary({ optional: true }) bytes!: Uint8Array;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Json<string[]>({ optional: true }) tags!: string[];
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Enum(["a", "b"], { optional: true }) state!: "a" | "b";
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Convert(url, { optional: true }) link!: URL;
  // @ts-expect-error { optional: true } needs a property that may be undefined
  @Property({ optional: true }) inferred!: string;
}

@Table("Null")
export class NullIsNotStored {
  // @ts-expect-error null is not stored
  @Text() text: string | null = null;
  // @ts-expect-error null is not stored
  @Int64({ optional: true }) views?: bigint | null;
  // @ts-expect-error null is not stored
  @Enum(["a", "b"]) state!: "a" | "b" | null;
  // @ts-expect-error null is not stored
  @Convert(nullableUrl) link!: URL | null;
  // @ts-expect-error null is not stored
  @Property() inferred!: string | null;
  // @ts-expect-error null is not among the values of this JSON
  @Json<string[]>() tags!: string[] | null;
  // @ts-expect-error null is not stored
  @PartitionKey() tenant!: string | null;
  // @ts-expect-error nothing can be stored here
  @Text() nothing!: null;
}

@Table("Keys")
export class KeysAreNeverAbsent {
  // @ts-expect-error a key part always has a value
  @PartitionKey() tenant?: string;
  // @ts-expect-error a key part always has a value
  @RowKey() id!: string | undefined;
  // @ts-expect-error a key part always has a value
  @RowKey(newestFirst) at?: Date;
  // @ts-expect-error a key part always has a value, also where the property is stored beside it
  @PartitionKey() @Text({ optional: true }) both?: string;
}

@Table("Misspelt")
export class OptionsAreKnown {
  // @ts-expect-error there is no such option
  @Text({ name: "T", optinal: true }) text!: string;
  // @ts-expect-error an initial value is the default: there is no option for it
  @Int32({ default: 0 }) count!: number;
}

test("a class whose options agree keeps its own types", () => {
  expectTypeOf(new Agree().note).toEqualTypeOf<string | undefined>();
  expectTypeOf(new Agree().count).toEqualTypeOf<number>();
});
