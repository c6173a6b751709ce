import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { StoredVersions } from "../../src/indexes/stored-versions.ts";

type Version = readonly [partitionKey: string, rowKey: string, etag: string | undefined];

function versionsOf(list: readonly Version[]): StoredVersions {
  const versions = new StoredVersions();
  for (const [partitionKey, rowKey, etag] of list) versions.add({ partitionKey, rowKey }, etag);
  return versions;
}

const short = fc.string({ maxLength: 4 });
const version = fc.tuple(short, short, short);
const idOf = (list: readonly Version[]): string =>
  JSON.stringify(list.map((each) => JSON.stringify(each)).toSorted());

propertyTest.prop([fc.array(version, { maxLength: 6 }), fc.array(version, { maxLength: 6 })])(
  "equal ones are of the same rows in the same versions, in any order",
  (a, b) => {
    expect(versionsOf(a).equals(versionsOf(a.toReversed()))).toBe(true);
    expect(versionsOf(a).equals(versionsOf(b))).toBe(idOf(a) === idOf(b));
  },
);

test("a difference of one microsecond, of one digit of a key, or of where a key ends is one", () => {
  const etag = (micros: number): string => `W/"datetime'2026-11-26T09%3A08%3A14.${micros}0Z'"`;
  const rows = (change: (i: number) => Version): StoredVersions =>
    versionsOf(Array.from({ length: 1000 }, (_, i) => change(i)));
  const same = rows((i) => ["p", `r${i}`, etag(100_000 + i)]);

  for (const other of [
    rows((i) => ["p", `r${i}`, etag(100_000 + i + (i === 500 ? 1 : 0))]),
    rows((i) => ["p", `r${i === 500 ? 5000 : i}`, etag(100_000 + i)]),
    rows((i) => (i === 500 ? ["pr", "500", etag(100_500)] : ["p", `r${i}`, etag(100_000 + i)])),
    // Two rows exchanged their versions.
    rows((i) => ["p", `r${i}`, etag(100_000 + (i === 500 ? 501 : i === 501 ? 500 : i))]),
  ])
    expect(other.equals(same)).toBe(false);
});

test("a row whose version is not known equals nothing", () => {
  expect(versionsOf([["p", "r", undefined]]).equals(versionsOf([["p", "r", undefined]]))).toBe(false);
});
