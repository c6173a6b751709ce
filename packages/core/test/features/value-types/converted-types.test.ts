import { expect, test } from "vitest";
import {
  bool,
  convert,
  createTables,
  dateTime,
  defineEntity,
  fromPlain,
  int32,
  int64,
  openStorage,
  TableContext,
  text,
  toPlain,
} from "../../../src/index.ts";
import { constant, isoDate, leading, padded } from "../../../src/keys.ts";
import { plainDate } from "../../../src/models.ts";

enum Level {
  Low = 1,
  High = 10,
}
const level = convert({ type: int32(), toStored: (l: Level) => l, fromStored: (n): Level => known(n) });

function known(stored: number): Level {
  if (stored in Level) return stored;
  throw new TypeError("no level");
}

class Alarm extends defineEntity({
  table: "Alarms",
  partitionKey: { device: text() },
  rowKey: { no: padded(4) },
  properties: {
    level,
    units: convert({ type: int64(), toStored: (n: number) => BigInt(n), fromStored: Number }).optional(),
    since: convert({
      type: dateTime(),
      toStored: (ms: number) => new Date(ms),
      fromStored: (d) => d.getTime(),
    }).optional(),
    isOpen: convert({
      type: bool(),
      toStored: (s: string) => s === "open",
      fromStored: (b) => (b ? "open" : "shut"),
    }).optional(),
  },
  indexes: { byLevel: { rowKey: { level: constant("LEVEL:", padded(2)), no: padded(4) } } },
}) {}

async function withAlarms(): Promise<TableContext> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Alarm]);
  const context = new TableContext(storage);
  context.create(Alarm, { device: "d", no: 1, level: Level.Low, units: 5, since: 1000, isOpen: "open" });
  context.create(Alarm, { device: "d", no: 2, level: Level.High });
  await context.saveChanges();
  return new TableContext(storage);
}

test("a converted value is stored and read as its type", async () => {
  const context = await withAlarms();

  const alarm = await context.find(Alarm, { device: "d", no: 1 });

  expect(alarm).toMatchObject({ level: Level.Low, units: 5, since: 1000, isOpen: "open" });
  expect(toPlain(alarm as Alarm)).toMatchObject({
    level: 1,
    units: "5",
    since: "1970-01-01T00:00:01.000Z",
    isOpen: true,
  });
  expect(fromPlain(Alarm, toPlain(alarm as Alarm))).toMatchObject({
    level: Level.Low,
    units: 5,
    since: 1000,
  });
});

test("only a change of the stored value is one", async () => {
  const context = await withAlarms();
  const alarm = (await context.find(Alarm, { device: "d", no: 1 })) as Alarm;

  alarm.level = Level.Low;
  alarm.units = 5;
  expect(context.pendingChanges()).toEqual([]);
  alarm.level = Level.High;
  expect(context.entry(alarm).changedProperties).toEqual(["level"]);
});

test("conditions compare numbers and times in order, other types for equality", async () => {
  const context = await withAlarms();
  const alarms = context.query(Alarm).where({ device: "d" });

  expect(await alarms.where((a) => a.level.gt(Level.Low)).count()).toBe(1);
  expect(await alarms.where((a) => a.since.le(1000)).count()).toBe(1);
  expect(await alarms.where((a) => a.isOpen.eq("open")).count()).toBe(1);
  expect(await alarms.via("byLevel").where({ level: Level.High }).count()).toBe(1);
  const wrong = (): unknown =>
    // @ts-expect-error a Boolean has no order
    alarms.where((a) => a.isOpen.gt("open")).explain();
  expect(wrong).toThrow(expect.objectContaining({ code: "query.not-comparable" }));
});

test("what the converter throws is an error that names the property", async () => {
  const context = await withAlarms();

  context.create(Alarm, {
    device: "d",
    no: 3,
    level: Level.Low,
    units: 0.5,
  });

  await expect(context.saveChanges()).rejects.toThrow(/Alarm\.units/);
  context.clear({ discard: true });
});

test("a converter with a type needs both functions", () => {
  expect(() => convert({ type: int32(), toStored: () => 1 } as never)).toThrow(
    expect.objectContaining({ code: "model.property-type" }),
  );
});

test("a day as text and the first characters of an id are parts of a key", async () => {
  class Entry extends defineEntity({
    table: "Entries",
    partitionKey: { on: isoDate("yyyy-MM"), user: leading(2) },
    rowKey: { user: text(), no: padded(2) },
    properties: { on: plainDate() },
  }) {}
  await using storage = await openStorage("memory:");
  await createTables(storage, [Entry]);
  const context = new TableContext(storage);
  context.create(Entry, { user: "ann", no: 1, on: "2026-11-25" });
  await context.saveChanges();

  const query = new TableContext(storage)
    .query(Entry)
    .where((e) => e.user.eq("ann").and(e.on.between("2026-11-01", "2026-11-30")));

  expect(await query.count()).toBe(1);
  expect(JSON.stringify(query.explain())).toContain("2026-11_an");
  expect(await new TableContext(storage).find(Entry, { user: "ann", no: 1, on: "2026-11-25" })).toMatchObject(
    {
      on: "2026-11-25",
    },
  );
});
