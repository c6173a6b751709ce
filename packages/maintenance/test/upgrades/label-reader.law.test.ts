import { fc } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { openStorage } from "@partita/core";
import { readRows, type RowBody } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { labelReader } from "../../src/upgrades/label-reader.ts";

const names = { kindProperty: "Kind", versionProperty: "SchemaVersion" };

const bodyOf = (text: string): RowBody => ({
  partitionKey: "p",
  rowKey: "r",
  etag: "e",
  timestamp: "2026-07-01T00:00:00Z",
  bytes: Buffer.from(text),
});

/** What a projection to the labels would be, had the row been parsed. */
function expectedOf(text: string): object {
  const { Kind, SchemaVersion } = JSON.parse(text) as Record<string, unknown>;
  return {
    PartitionKey: "p",
    RowKey: "r",
    ...(Kind !== undefined && { Kind }),
    ...(SchemaVersion !== undefined && { SchemaVersion }),
  };
}

const value = fc.oneof(
  fc.constantFrom(1, 2, 12, "Blog", 2.5, -1, true, "2", '"SchemaVersion":9,', "\\", "é\n"),
  fc.string({ unit: "binary" }),
  fc.string({ minLength: 90, maxLength: 400 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
);
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("Kind", "SchemaVersion") },
  { weight: 5, arbitrary: fc.constantFrom("kind", "Kinds", "Kin", "a", "at@odata.type", "SchemaVersio") },
);
const row = fc.dictionary(name, value, { maxKeys: 8 }).map((members) => JSON.stringify(members));

test("kind and version of a row are what parsing it shows, whatever stands beside them", () => {
  const reader = labelReader(names, () => true);
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 6 }), (rows) => {
      for (const text of rows) expect(reader.readBody(bodyOf(text))).toEqual(expectedOf(text));
    }),
    { numRuns: 1000 },
  );
});

test("rows that no store writes are parsed, or read as parsing them would show", () => {
  const reader = labelReader(names, () => true);
  const broken = fc.tuple(
    row,
    fc.nat(),
    fc.constantFrom('"', "{", "}", "[", ",", ":", "\\", " ", "", "null"),
  );
  fc.assert(
    fc.property(broken, ([text, at, other]) => {
      const from = at % text.length;
      // Half of a character is none in UTF-8.
      const mutated = `${text.slice(0, from)}${other}${text.slice(from + 1)}`.toWellFormed();
      const found = reader.readBody(bodyOf(mutated));
      expect(isJson(mutated) ? [undefined, expectedOf(mutated)] : [found]).toContainEqual(found);
    }),
    { numRuns: 3000 },
  );
  for (const text of ['{"\\u004bind":"a"}', '{"a":{"Kind":"b"}}', '{"a":["Kind"]}', '{"Kind":"a"', "{}x", ""])
    expect(reader.readBody(bodyOf(text)), text).toBeUndefined();
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("rows whose labels are not enough come whole, and others with their labels alone", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable("Things");
  for (const [RowKey, version] of [1, 2, 2, 1].entries())
    await storage.write("Things", {
      type: "insert",
      entity: { PartitionKey: "p", RowKey: String(RowKey), SchemaVersion: version, n: RowKey },
    });
  const read = async (select?: readonly string[]): Promise<readonly StoredEntity[]> => {
    const rows = labelReader(names, ({ SchemaVersion }) => SchemaVersion === 2);
    const page = await readRows(storage, "Things", select === undefined ? {} : { select }, rows);
    return page.rows as readonly StoredEntity[];
  };
  const summary = (rows: readonly StoredEntity[]): unknown =>
    rows.map(({ RowKey, SchemaVersion, n, Timestamp }) => [
      RowKey,
      SchemaVersion,
      n,
      Timestamp !== undefined,
    ]);

  expect(summary(await read())).toEqual([
    ["0", 1, 0, true],
    ["1", 2, undefined, false],
    ["2", 2, undefined, false],
    ["3", 1, 3, true],
  ]);
  // Where a query selects properties, the store reads the rows itself.
  expect(summary(await read(["SchemaVersion"]))).toEqual([
    ["0", 1, undefined, true],
    ["1", 2, undefined, true],
    ["2", 2, undefined, true],
    ["3", 1, undefined, true],
  ]);
});
