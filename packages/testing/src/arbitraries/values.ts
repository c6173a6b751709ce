import fc from "fast-check";

/** Well-formed text of up to `maxLength` code points, rich in characters that stores and keys find hard. */
export function hostileText(maxLength: number = 20): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...Array.from("aZ09_-!'\"%+&=.~ ")) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "\u007e",
        "\u00a0",
        "\ud7ff",
        "\ue000",
        "\uffff",
        "\u{10000}",
        "\u{10ffff}",
        "é",
        "e\u0301",
      ),
    },
    { weight: 2, arbitrary: anyCodePoint() },
  );
  return fc.array(unit, { maxLength }).map((units) => units.join(""));
}

/** Any character that well-formed text may have. Without the table of all of them that fast-check's own unit builds. */
const anyCodePoint = (): fc.Arbitrary<string> =>
  fc
    .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((point) => String.fromCodePoint(point));

/** Text that is legal as a whole PartitionKey or RowKey: no `/ \ # ?`, no control characters. */
export function legalKey(maxLength: number = 20): fc.Arbitrary<string> {
  // oxlint-disable-next-line no-control-regex
  return hostileText(maxLength).map((text) => text.replaceAll(/[/\\#?\u0000-\u001f\u007f-\u009f]/g, ""));
}

/** Dates of the years 1601 to 9999, in milliseconds, ends included. */
export const storableDate = (): fc.Arbitrary<Date> =>
  fc.oneof(
    fc.date({
      min: new Date("1601-01-01T00:00:00.000Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    }),
    // What most rows have.
    fc.date({
      min: new Date("1990-01-01T00:00:00.000Z"),
      max: new Date("2050-01-01T00:00:00.000Z"),
      noInvalidDate: true,
    }),
    fc.constantFrom(
      new Date("1601-01-01T00:00:00.000Z"),
      new Date("9999-12-31T23:59:59.999Z"),
      new Date(0),
      new Date("2000-02-29T12:00:00.001Z"),
    ),
  );

/** Every Int64, powers of two and the ends more often. */
export const int64Value = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  );
