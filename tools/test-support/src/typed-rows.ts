import type { StoredEntity, StoredValue } from "@partita/core/storage";
import { edmTypeOf } from "@partita/core/protocol";
import { type AnnotatedValue, hostileText, legalKey, storedValue } from "@partita/testing/arbitraries";
import fc from "fast-check";

/*
 * Random rows for tools that write rows as text and read them: a command, a clipboard, a copy. Each tool has to return
 * the rows that it was given, with their EDM types.
 */

/** Property names. CSV has a column for each of them. */
const names = [
  "Name",
  "name",
  "_",
  "Übergröße",
  "x\u0301",
  "constructor",
  "__proto__",
  "toString",
  "N1",
  "N2",
  "N3",
];

const values: fc.Arbitrary<AnnotatedValue> = fc.oneof(
  { weight: 8, arbitrary: storedValue() },
  {
    weight: 1,
    arbitrary: hostileText(30).map((value): { readonly value: string; readonly annotation?: string } => ({
      value,
    })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<AnnotatedValue>(
      { value: "" },
      { value: "\r\n" },
      { value: "\n" },
      { value: "'=1+1\r" },
      { value: "null" },
      { value: "007" },
      { value: 0 },
      { value: -2_147_483_648 },
      { value: "-0.0", annotation: "Edm.Double" },
      { value: 2 ** 53, annotation: "Edm.Double" },
      { value: 5e-324, annotation: "Edm.Double" },
      { value: "9007199254740993", annotation: "Edm.Int64" },
      { value: "-9223372036854775808", annotation: "Edm.Int64" },
      { value: "", annotation: "Edm.Binary" },
      { value: "1601-01-01T00:00:00.0000001Z", annotation: "Edm.DateTime" },
    ),
  },
);

const row = fc
  .record({
    partition: fc.constantFrom("", "a", "A", "b,", '"', "'", "é", "=1", "-", "--x"),
    key: legalKey(6),
    properties: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), values), {
      minLength: 1,
      maxLength: 8,
      selector: ([name]) => name,
    }),
  })
  .map(({ partition, key, properties }): StoredEntity => {
    const members = properties.flatMap(([name, { value, annotation }]): [string, StoredValue][] => [
      ...(annotation === undefined ? [] : [[`${name}@odata.type`, annotation] as [string, StoredValue]]),
      [name, value],
    ]);
    // Unlike an assignment, this also creates a member `__proto__`.
    return Object.fromEntries([["PartitionKey", partition], ["RowKey", key], ...members]) as StoredEntity;
  });

/** Random rows of a few partitions, each with another key. Together they have every EDM type. Always the same rows. */
export const typedRows = (count: number): StoredEntity[] =>
  fc
    .sample(row, { numRuns: count, seed: 20_261_127 })
    .map((each, i) => ({ ...each, RowKey: `${each.RowKey}${i}` }));

/** The EDM types of the properties of rows. */
export function typesIn(rows: readonly StoredEntity[]): ReadonlySet<string> {
  const types = new Set<string>();
  for (const each of rows)
    for (const name of Object.keys(each).filter((member) => !member.includes("@") && !member.endsWith("Key")))
      types.add(edmTypeOf(each[name] as StoredValue, each[`${name}@odata.type`]));
  return types;
}

/**
 * The rows that two lists do not have in common, with their EDM types, in any order: none if every row was written and
 * read back without a loss.
 */
export function differentRows(
  found: readonly StoredEntity[],
  expected: readonly StoredEntity[],
): readonly { readonly found?: StoredEntity | undefined; readonly expected?: StoredEntity | undefined }[] {
  const left = new Map(expected.map((each) => [idOf(each), each]));
  const different = found.flatMap((each) => {
    const other = left.get(idOf(each));
    left.delete(idOf(each));
    return other !== undefined && isSame(each, other) ? [] : [{ found: each, expected: other }];
  });
  return [...different, ...Array.from(left.values(), (each) => ({ expected: each }))];
}

const idOf = ({ PartitionKey, RowKey }: StoredEntity): string => JSON.stringify([PartitionKey, RowKey]);

/** Whether both have the same own members with the same values; 0 and -0 differ. */
function isSame(first: StoredEntity, second: StoredEntity): boolean {
  const members = Object.entries(first);
  return (
    members.length === Object.keys(second).length &&
    members.every(([name, value]) => Object.hasOwn(second, name) && Object.is(second[name], value))
  );
}
