import fc from "fast-check";
import { isLong } from "@partita/test-support/effort";
import { describe, expect, test } from "vitest";
import { rowReaderFor } from "../../../src/model/codec/scan/row-reader.ts";
import { ScannedRow } from "../../../src/model/codec/scan/scanned-row.ts";
import { codecOf } from "../../../src/model/codec/codec-of.ts";
import { decodeRow } from "../../../src/model/codec/decode-entity.ts";
import type { DecodedEntity } from "../../../src/model/codec/entity-codec.ts";
import { lowerPart } from "../../../src/model/codec/lower-values.ts";
import { type OlderLayout, olderLayoutOf } from "../../../src/model/codec/older-layout.ts";
import {
  completeSnapshot,
  isRow,
  putEncoded,
  restoreStored,
  sizeOfSnapshot,
} from "../../../src/model/codec/snapshot.ts";
import { sizeOfEntity } from "../../../src/storage/limits.ts";
import { supportedRow } from "../../../src/model/codec/supported-row.ts";
import type { EntityModel, PropertyModel } from "../../../src/model/declaration/entity-model.ts";
import { modelOf } from "../../../src/models.ts";
import type { StoredEntity } from "../../../src/storage.ts";
import { classOf, properties, type Version, values } from "../../features/supports/order-versions.ts";
import { outcomeOf } from "./random-classes.ts";

// Rows in an older form, read by compiled code: the same as by the upgrade of each row, which is the oracle. The same for
// what a change of them sends.

const runs = isLong ? 20_000 : 400;
const seed = Number(process.env["SEED"] ?? 39);
const key = { partitionKey: "s", rowKey: "o" };
const releases = [
  [2, 1],
  [4, 1],
  [4, 2],
] as const;

type Row = Readonly<Record<string, string | number | undefined>>;

/** Every name that a row may have, in the order of the versions. */
const names = [...new Set(Object.values(properties).flatMap((shape) => Object.keys(shape)))];

/** Present values of a class. */
const valuesOf = (version: Version): fc.Arbitrary<Row> =>
  fc.record(
    Object.fromEntries(
      Object.keys(properties[version]).map((name) => [name, fc.constantFrom(...(values[name] ?? []))]),
    ),
  );

/** What other releases and other programs do to a row: members with other values, of other types, or absent. */
const meddling: fc.Arbitrary<Row> = fc
  .uniqueArray(
    fc
      .constantFrom(...names, "Other", "SchemaVersion")
      .chain((name) =>
        fc.tuple(
          fc.constant(name),
          name === "SchemaVersion"
            ? fc.constantFrom(1, 2, 4)
            : fc.oneof(fc.constantFrom(...(values[name] ?? ["a"]), undefined), fc.constantFrom(7, "odd")),
        ),
      ),
    { maxLength: 2, selector: ([name]) => name },
  )
  .map((changes) => Object.fromEntries(changes) as Row);

/** A row as a release stores it, in the form of the version that it supports. */
function rowOf(model: EntityModel, entity: Row): StoredEntity {
  const row = { PartitionKey: "s", RowKey: "o" };
  for (const property of model.properties)
    if (entity[property.name] !== undefined) putEncoded(property, entity[property.name], row);
  return given(supportedRow(model, undefined, () => row));
}

/** Without members that have no value. */
const given = (row: StoredEntity): StoredEntity =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as StoredEntity;

/** A row as read: the entity, the values that edits are compared with, and the row that they restore. */
function shown(model: EntityModel, { entity, snapshot }: DecodedEntity): unknown {
  const { values: snapshotValues, age, isComplete } = snapshot;
  const members = Object.entries(given(restoreStored(model, key, snapshot)));
  const row = members.toSorted(([a], [b]) => a.localeCompare(b));
  return [Object.entries(entity), snapshotValues, age, isComplete, row];
}

const expectedOf = (model: EntityModel, row: StoredEntity): unknown =>
  outcomeOf(() => shown(model, decodeRow(model, row, undefined)));

describe.each(releases)("version %i, which supports version %i", (version, supports) => {
  const model = modelOf(classOf({ version, supports }));
  const layout = olderLayoutOf(model) as OlderLayout;
  const readTracked = (row: StoredEntity): DecodedEntity => codecOf(model).readTracked(row);
  const rows = fc
    .tuple(valuesOf(version), meddling)
    .map(([entity, changes]) => given({ ...rowOf(model, entity), ...changes }));
  const isLaid = ({ snapshot: { stored } }: DecodedEntity): boolean => stored !== undefined && !isRow(stored);

  test("a parsed row is read as its upgrade reads it", () => {
    let laid = 0;
    const property = fc.property(rows, (row) => {
      expect(outcomeOf(() => shown(model, readTracked(row)))).toEqual(expectedOf(model, row));
      if (isLaidIn(row)) laid++;
    });

    fc.assert(property, { numRuns: runs, seed });

    // A third of the rows is unchanged by others.
    expect(laid).toBeGreaterThan(runs / 5);
  });

  function isLaidIn(row: StoredEntity): boolean {
    try {
      return isLaid(readTracked(row));
    } catch {
      return false;
    }
  }

  test.each([true, false])("so is a row that is scanned, tracked: %s", (isTracked) => {
    const reader = rowReaderFor({ models: [model], kinds: [] }, isTracked);
    let scanned = 0;
    const property = fc.property(rows, (row) => {
      const { PartitionKey: _partition, RowKey: _row, ...members } = row;
      const found = reader?.readBody({
        ...key,
        etag: "e",
        timestamp: "2026-07-01T00:00:00Z",
        bytes: Buffer.from(JSON.stringify(members)),
      });
      if (found === undefined || !ScannedRow.is(found)) return;
      scanned++;
      const { entity, snapshot } = found;
      const expected = decodeRow(model, row, undefined);
      // Without tracking there is no snapshot.
      const read = { entity, snapshot: snapshot ?? expected.snapshot };
      expect(snapshot !== undefined).toBe(isTracked);
      expect(shown(model, read)).toEqual(shown(model, expected));
    });

    fc.assert(property, { numRuns: 3 * runs, seed });

    // The first 200 rows of an order are parsed.
    expect(scanned).toBeGreaterThan(runs / 5);
  });

  test("a change sends a part that each release reads like the complete row", () => {
    const older = modelOf(classOf({ version: supports, supports }));
    let lowered = 0;
    const property = fc.property(valuesOf(version), valuesOf(version), fc.nat(), (entity, other, which) => {
      const row = rowOf(model, entity);
      const { snapshot } = readTracked(row);
      const { stored } = snapshot;
      if (stored === undefined || isRow(stored)) return;
      const at = which % model.properties.length;
      const changed = model.properties[at] as PropertyModel;
      if (other[changed.name] === undefined) return;
      const part = { PartitionKey: "s", RowKey: "o" } as StoredEntity;
      const after = [...snapshot.values];
      after[at] = putEncoded(changed, other[changed.name], part);

      const lower = lowerPart(model, layout, stored, part, after);

      const whole = supportedRow(model, row, (present) => ({ ...(present as StoredEntity), ...part }));
      if (lower === undefined) return;
      lowered++;
      const merged = { ...row, ...lower.part };
      for (const reader of [model, older])
        expect(outcomeOf(() => decodeRow(reader, merged, undefined).entity)).toEqual(
          outcomeOf(() => decodeRow(reader, given(whole), undefined).entity),
        );
      // What is remembered of the row is the row.
      const known = restoreStored(model, key, { values: after, stored: lower.stored });
      expect(given(known)).toEqual(given(merged));
      const image = completeSnapshot([...lower.stored.values, ...lower.stored.older]);
      expect(sizeOfSnapshot(layout.rows, 2, image)).toEqual(sizeOfEntity(given(merged)));
    });

    fc.assert(property, { numRuns: runs, seed });

    // A function over all values of version 3 takes the general way for names that it also reads.
    expect(lowered).toBeGreaterThan(version === 2 ? runs / 2 : runs / 8);
  });
});
