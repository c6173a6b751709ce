// Key formats that store less than their property, and converters over types other than text.

import { convert, dateTime, defineEntity, int32, TableContext, text } from "@partita/core";
import { bucket, escaped, isoDate, leading, oldestFirst } from "@partita/core/keys";
import { expect, test } from "vitest";
import type { OpenDomain } from "./store.ts";

const levels = ["low", "high"] as const;
type Level = (typeof levels)[number];
const level = convert({
  type: int32(),
  toStored: (value: Level) => levels.indexOf(value),
  fromStored: (stored): Level => levels[stored] ?? "low",
});

class Sample extends defineEntity({
  table: "Samples",
  partitionKey: { takenAt: isoDate("yyyy-MM-dd"), sensor: bucket({ bits: 4 }), device: leading(2) },
  rowKey: { takenAt: oldestFirst, sensor: escaped, device: text() },
  properties: { level },
}) {}

class Visit extends defineEntity({
  table: "Visits",
  partitionKey: { page: bucket({ bits: 20 }) },
  rowKey: { page: text(), at: oldestFirst },
  properties: { seenAt: dateTime() },
}) {}

/** The classes with tables. */
export const formatTables = [Sample, Visit] as const;

const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 25, hour));

export function formatCases(open: OpenDomain): void {
  test("derived parts of keys narrow a query, and typed converters are compared by order", async () => {
    await using store = await open();
    const writer = new TableContext(store.storage);
    for (const [hour, device, value] of [
      [1, "ann-1", "low"],
      [2, "ann-2", "high"],
      [3, "bob-1", "high"],
    ] as const)
      writer.create(Sample, { takenAt: at(hour), device, sensor: "s", level: value });
    await writer.saveChanges();
    const context = new TableContext(store.storage);

    const found = await context
      .query(Sample)
      .where((s) => [s.takenAt.between(at(0), at(23)), s.device.eq("ann-2"), s.sensor.eq("s")])
      .toArray();
    const high = await context
      .query(Sample)
      .where((s) => [
        s.takenAt.between(at(0), at(23)),
        s.device.eq("bob-1"),
        s.sensor.eq("s"),
        s.level.gt("low"),
      ])
      .toArray();

    expect(found.map(({ device, level: read }) => [device, read])).toEqual([["ann-2", "high"]]);
    expect(high.map(({ device }) => device)).toEqual(["bob-1"]);
  });

  test("a hash of more bits than can be listed finds its rows by the value", async () => {
    await using store = await open();
    const writer = new TableContext(store.storage);
    for (const page of ["home", "about"]) writer.create(Visit, { page, at: at(1), seenAt: at(1) });
    await writer.saveChanges();

    const visits = await new TableContext(store.storage).query(Visit).where({ page: "about" }).toArray();

    expect(visits.map(({ page }) => page)).toEqual(["about"]);
  });
}
