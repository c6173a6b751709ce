import fc from "fast-check";

/**
 * Well-formed text of up to `maxLength` code points (default 20), with many characters that are hard for stores and
 * keys.
 */
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

/** Any character of well-formed text, without the table of all characters that fast-check's own unit builds. */
const anyCodePoint = (): fc.Arbitrary<string> =>
  fc
    .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
    .map((point) => String.fromCodePoint(point));

/** Text that is legal as a complete PartitionKey or RowKey: no `/ \ # ?`, no control characters. */
export function legalKey(maxLength: number = 20): fc.Arbitrary<string> {
  // oxlint-disable-next-line no-control-regex
  return hostileText(maxLength).map((text) => text.replaceAll(/[/\\#?\u0000-\u001f\u007f-\u009f]/g, ""));
}

/** Dates of the years 1601 to 9999 (inclusive), with milliseconds. */
export const storableDate = (): fc.Arbitrary<Date> =>
  fc.oneof(
    fc.date({
      min: new Date("1601-01-01T00:00:00.000Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    }),
    // The dates of most rows.
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

/** Every Int64; powers of two and the limits occur more often. */
export const int64Value = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  );
