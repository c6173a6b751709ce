import "reflect-metadata";
import { modelOf } from "@partita/core/models";
import { PartitionKey, Property, RowKey, Table, Unique } from "@partita/decorators";
import { expect, test } from "vitest";

@Table("Inferred")
class Inferred {
  @PartitionKey() tenant!: string;
  @RowKey() id!: string;
  @Property() text!: string;
  @Property() flag!: boolean;
  @Property() number!: number;
  @Property() big!: bigint;
  @Property() at!: Date;
  @Property() bytes!: Uint8Array;
  @Property({ name: "Other", optional: true }) named?: string;
}

test("infers String, Boolean, Number, BigInt, Date and Uint8Array from the recorded types", () => {
  expect(
    modelOf(Inferred).properties.map((p) => `${p.storedName} ${p.serializer.edm} ${p.presence}`),
  ).toEqual([
    "text Edm.String required",
    "flag Edm.Boolean required",
    "number Edm.Double required",
    "big Edm.Int64 required",
    "at Edm.DateTime required",
    "bytes Edm.Binary required",
    "Other Edm.String optional",
  ]);
});

test("refuses a type that the compiler does not record, naming the decorators to write", () => {
  expect(() => {
    class Unclear {
      @Property() value!: string | number;
    }
    return Unclear;
  }).toThrow(
    expect.objectContaining({
      code: "model.type-not-inferred",
      message: expect.stringMatching(
        /type of value: the compiler recorded only Object.*@Text\(\), @Int32\(\)/,
      ) as string,
    }),
  );
});

test("a key without a format on a date or a number names the formats for it", () => {
  const declareDate = (): unknown => {
    class Post {
      // @ts-expect-error @RowKey() without a format needs a property of type string; for a Date write …
      @RowKey() at!: Date;
    }
    return Post;
  };
  const declareNumber = (): unknown => {
    class Post {
      // @ts-expect-error @PartitionKey() without a format needs a property of type string; …
      @PartitionKey() year!: number;
    }
    return Post;
  };

  expect(declareDate).toThrow(
    expect.objectContaining({
      code: "model.key-format",
      message: expect.stringMatching(
        /^@RowKey\(\) on Post\.at, which is a Date, .*@RowKey\(newestFirst\)/,
      ) as string,
    }) as Error,
  );
  expect(declareNumber).toThrow(
    /^@PartitionKey\(\) on Post\.year, which is a Number, .*@PartitionKey\(padded\(10\)\)/,
  );
});

test("a unique number without a format names the formats for it, behind the prefix", () => {
  const declareNumber = (): unknown => {
    class Runner {
      // @ts-expect-error @Unique(prefix) without a format needs a property of type string; …
      @Unique("BIB:") bib!: number;
    }
    return Runner;
  };

  expect(declareNumber).toThrow(
    /^@Unique\("BIB:"\) on Runner\.bib, which is a Number, .*Write @Unique\("BIB:", padded\(10\)\)/,
  );
});
