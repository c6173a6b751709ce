// Compiled twice: with legacy and with standard decorators. Each line marked as an error must be one under both.
import { Decimal, Instant, PartitionKey, PlainDate, RowKey, Table } from "@partita/decorators";
import { expectTypeOf, test } from "vitest";

class Big {
  readonly #text: string;

  constructor(text: string | number) {
    this.#text = String(text);
  }

  toFixed(): string {
    return this.#text;
  }
}

@Table("Prices")
export class Price {
  @PartitionKey() shop!: string;
  @RowKey() sku!: string;
  @Decimal({ scale: 2 }) text!: string;
  @Decimal({ scale: 2, optional: true }) maybe?: string;
  @Decimal({ scale: 2, as: "units", name: "Units" }) units!: bigint;
  @Decimal({ scale: 2, as: Big }) big!: Big;

  @PlainDate() born!: string;
  @Instant() takenAt!: string;
  // @ts-expect-error a moment is text
  @Instant() takenAtAsDate!: Date;
  // @ts-expect-error a day is text
  @PlainDate() bornAsDate!: Date;

  // @ts-expect-error a number is no decimal
  @Decimal({ scale: 2 }) number!: number;
  // @ts-expect-error units are a bigint
  @Decimal({ scale: 2, as: "units" }) unitsAsText!: string;
  // @ts-expect-error the property has another class
  @Decimal({ scale: 2, as: Big }) date!: Date;
  // @ts-expect-error a property that may be undefined needs { optional: true }
  @Decimal({ scale: 2 }) absent?: string;
  // @ts-expect-error a decimal has a scale
  @Decimal() unscaled!: string;
  // @ts-expect-error there is no such form
  @Decimal({ scale: 2, as: "text" }) other!: string;
}

test("the properties keep their own types", () => {
  expectTypeOf<Price["units"]>().toEqualTypeOf<bigint>();
});
