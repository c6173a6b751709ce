// Compiled twice: with legacy and with standard decorators. Each line marked as an error must be one under both.
import { type Query, text } from "@partita/core";
import {
  Bool,
  constant,
  Index,
  indexNames,
  Int32,
  newestFirst,
  padded,
  PartitionKey,
  RowKey,
  Table,
  Text,
  Unique,
  verbatim,
} from "@partita/decorators";
import { expectTypeOf, test } from "vitest";

@Table("Races")
@Index("byAge", { rowKey: { age: constant("AGE:", padded(3)), bib: padded(4) } })
@Index("byClub", { rowKey: { club: constant("CLUB:", verbatim) }, copy: ["club", "name"], state: "retired" })
@Index("byName", { rowKey: { tag: constant("NAME:"), name: text() }, copy: "none" })
@Index("byState", { rowKey: { state: constant("STATE:", verbatim) }, copy: "all", unique: true })
export class Runner {
  declare readonly [indexNames]?: "byAge" | "byClub" | "byName" | "byState" | "email";
  @PartitionKey() race!: string;
  @RowKey(padded(5)) bib!: number;
  @Text() name!: string;
  @Int32() age!: number;
  @Text({ optional: true }) club?: string;
  @Text() state!: "registered" | "finished";
  @Unique("MAIL:") @Text({ optional: true }) email?: string;
  @Unique("CHIP:", padded(8)) @Int32({ optional: true }) chip?: number;
  @Unique("PHONE:", { over: "table" }) @Text({ optional: true }) phone?: string;
  @Unique("PASS:", padded(8), { over: "table" }) @Int32({ optional: true }) pass?: number;
}

@Table("Plain")
@Index("byNote", { rowKey: { note: constant("NOTE:", verbatim) } })
export abstract class Plain {
  @PartitionKey() tenant!: string;
  @RowKey() note!: string;
  protected secret = "";
}

@Table("Bad")
// @ts-expect-error rowKey names a property that the class does not have
@Index("byAeg", { rowKey: { aeg: constant("AGE:", padded(3)) } })
// @ts-expect-error one part of several is no property
@Index("byTwo", { rowKey: { age: constant("AGE:", padded(3)), bbi: padded(3) } })
// @ts-expect-error a protected property is not stored
@Index("bySecret", { rowKey: { secret: constant("S:", verbatim) } })
// @ts-expect-error a part's key format does not fit its property's type
@Index("byText", { rowKey: { age: constant("AGE:", verbatim) } })
// @ts-expect-error a date is no text
@Index("byDate", { rowKey: { name: constant("AT:", newestFirst) } })
// @ts-expect-error copy names a property that the class does not have
@Index("byName", { rowKey: { name: constant("NAME:", verbatim) }, copy: ["clbu"] })
// @ts-expect-error there is no such state
@Index("byOther", { rowKey: { name: constant("OTHER:", verbatim) }, state: "done" })
export class Bad {
  @PartitionKey() race!: string;
  @RowKey() id!: string;
  @Text() name!: string;
  @Int32() age!: number;
  protected secret = "";
  // @ts-expect-error @Unique(prefix) without a format needs a property of type string
  @Unique("BIB:") bib!: number;
  // @ts-expect-error this key format does not fit the property's type
  @Unique("MAIL:", padded(3)) email!: string;
  // @ts-expect-error @Unique needs its prefix
  @Unique() @Bool() flag!: boolean;
}

@Table("Branded")
// @ts-expect-error the class names its indexes, and not this one
@Index("byNmae", { rowKey: { name: constant("NAME:", verbatim) } })
export class Branded {
  declare readonly [indexNames]?: "byName";
  @PartitionKey() race!: string;
  @RowKey() name!: string;
}

type ViaOf<Entity extends object> = Parameters<Query<Entity>["via"]>[0];

test("via takes the names that a decorated class has, or any where it has none", () => {
  expectTypeOf<ViaOf<Runner>>().toEqualTypeOf<
    "byAge" | "byClub" | "byName" | "byState" | "email" | "primary"
  >();
  expectTypeOf<ViaOf<Plain>>().toEqualTypeOf<string>();
});
