import { describe, expect, test } from "vitest";
import {
  createTables,
  dateTime,
  defineEntity,
  fromPlain,
  openStorage,
  TableContext,
  type TableStorage,
  text,
  toPlain,
} from "../../../src/index.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import { instant, modelOf } from "../../../src/models.ts";
import { retype, upgrades } from "../../../src/upgrades.ts";
import { refusalCode } from "./refusal-code.ts";

const keys = { partitionKey: { sensor: text() }, rowKey: { id: text() } } as const;

class Measurement extends defineEntity({
  table: "Measurements",
  ...keys,
  properties: { takenAt: instant() },
}) {}

const nine = "2026-11-25T09:00:00.0000000Z";

async function storageWith(...times: readonly string[]): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [Measurement]);
  const context = new TableContext(storage);
  for (const [i, takenAt] of times.entries())
    context.add(new Measurement({ sensor: "s", id: String(i), takenAt }));
  await context.saveChanges();
  return storage;
}

const ofSensor = (storage: TableStorage) =>
  new TableContext(storage).query(Measurement).where({ sensor: "s" });

test.each([
  ["2026-11-25T10:00:00+01:00", nine],
  ["2026-11-25T09:00Z", nine],
  ["2026-11-25T03:30:00.0-05:30", nine],
  ["2026-11-25T09:00:00.1234567Z", "2026-11-25T09:00:00.1234567Z"],
  ["2026-12-31T23:59:59.9999999-00:01", "2027-01-01T00:00:59.9999999Z"],
  ["1601-01-01T00:00:00Z", "1601-01-01T00:00:00.0000000Z"],
  ["9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"],
])("%s is stored and read as UTC, to 100 ns", async (given, read) => {
  const storage = await storageWith(given);

  expect(await storage.get("Measurements", { partitionKey: "s", rowKey: "0" })).toMatchObject({
    takenAt: read,
    "takenAt@odata.type": "Edm.DateTime",
  });
  expect(await ofSensor(storage).single()).toMatchObject({ takenAt: read });
});

test.each([
  ["2026-11-25T09:00:00.12345678Z", "edm.malformed"],
  ["2026-11-25T09:00:00.00000000Z", "edm.malformed"],
  ["2026-11-25T09:00:00", "edm.malformed"],
  ["2026-11-25", "edm.malformed"],
  ["2023-02-29T09:00:00Z", "edm.malformed"],
  ["2026-11-25T24:00:00Z", "edm.malformed"],
  ["2026-11-25T09:00:60Z", "edm.malformed"],
  ["2026-11-25 09:00:00Z", "edm.malformed"],
  ["2026-11-25T09:00:00+24:00", "edm.malformed"],
  ["", "edm.malformed"],
  ["1600-12-31T23:59:59.9999999Z", "edm.out-of-range"],
  ["1601-01-01T00:30:00+01:00", "edm.out-of-range"],
  [new Date(0), "edm.wrong-type"],
  [0, "edm.wrong-type"],
])("%o is refused before anything is sent: %s", async (takenAt, code) => {
  const storage = await storageWith();
  const context = new TableContext(storage);
  context.add(new Measurement({ sensor: "s", id: "x", takenAt: takenAt as string }));

  await expect(context.saveChanges()).rejects.toMatchObject({
    code: "save.invalid",
    cause: { code, message: expect.stringContaining("Measurement.takenAt") as string },
  });
  expect(await ofSensor(storage).count()).toBe(0);
});

test("a Date does not compile", () => {
  // @ts-expect-error a moment is text
  const measurement = new Measurement({ sensor: "s", id: "x", takenAt: new Date(0) });

  expect(() => toPlain(measurement)).toThrow("Measurement.takenAt");
});

test("the same moment is no change, and another one is", async () => {
  const context = new TableContext(await storageWith("2026-11-25T09:00:00Z"));
  const measurement = await context.query(Measurement).where({ sensor: "s" }).single();

  for (const takenAt of ["2026-11-25T10:00:00+01:00", "2026-11-25T09:00Z", "2026-11-25T09:00:00.000Z"]) {
    measurement.takenAt = takenAt;
    expect(await context.saveChanges()).toEqual([]);
  }
  measurement.takenAt = "2026-11-25T09:00:00.0000001Z";
  expect(await context.saveChanges()).toHaveLength(1);
});

test("a row with fewer digits is read in the same form, and unchanged", async () => {
  const storage = await storageWith();
  const entity = {
    PartitionKey: "s",
    RowKey: "x",
    "takenAt@odata.type": "Edm.DateTime",
    takenAt: "2026-11-25T09:00:00Z",
  } as const;
  await storage.write("Measurements", { type: "insert", entity });
  const context = new TableContext(storage);

  const measurement = await context.query(Measurement).where({ sensor: "s" }).single();

  expect(measurement.takenAt).toBe(nine);
  expect(context.pendingChanges()).toEqual([]);
});

describe("conditions", () => {
  const stored = () =>
    storageWith("2026-11-25T09:00:00Z", "2026-11-25T09:00:00.0000001Z", "2026-11-25T11:00:00+01:00");
  const idsOf = async (query: { toArray(): Promise<Measurement[]> }) =>
    (await query.toArray()).map(({ id }) => id).toSorted();

  test("compare moments, to 100 ns and over offsets", async () => {
    const query = ofSensor(await stored());

    expect(await idsOf(query.where((m) => m.takenAt.gt("2026-11-25T10:00+01:00")))).toEqual(["1", "2"]);
    expect(await idsOf(query.where((m) => m.takenAt.eq("2026-11-25T10:00+01:00")))).toEqual(["0"]);
    expect(await idsOf(query.where({ takenAt: "2026-11-25T10:00Z" }))).toEqual(["2"]);
    expect(
      await idsOf(query.where((m) => m.takenAt.between("2026-11-25T09:00Z", "2026-11-25T09:30Z"))),
    ).toEqual(["0", "1"]);
    expect(await idsOf(query.where((m) => m.takenAt.in(["2026-11-25T12:00+02:00"])))).toEqual(["2"]);
    expect(await idsOf(query.where((m) => m.takenAt.ne(nine)))).toEqual(["1", "2"]);
  });

  test("refuse what is no moment, and startsWith", async () => {
    const query = ofSensor(await stored());

    expect(refusalCode(() => query.where((m) => m.takenAt.gt("2026-11-25")))).toBe("query.wrong-type");
    // @ts-expect-error a moment is text
    expect(refusalCode(() => query.where((m) => m.takenAt.gt(new Date(0))))).toBe("query.wrong-type");
    // @ts-expect-error a moment does not begin with anything
    expect(refusalCode(() => query.where((m) => m.takenAt.startsWith("2026") as never))).toBe(
      "query.not-comparable",
    );
  });
});

test("plain data is in UTC, and takes an offset", () => {
  const plain = { sensor: "s", id: "x", takenAt: nine };

  expect(toPlain(new Measurement({ ...plain, takenAt: "2026-11-25T10:00+01:00" }))).toEqual(plain);
  expect(fromPlain(Measurement, { ...plain, takenAt: "2026-11-25T10:00+01:00" }).takenAt).toBe(nine);
  expect(() => fromPlain(Measurement, { ...plain, takenAt: "2026-11-25" })).toThrow(
    "Measurement.takenAt takes a time with an offset",
  );
});

test("no index holds it as text, since one moment has many texts", () => {
  class Indexed extends defineEntity({
    table: "Measurements",
    ...keys,
    properties: { takenAt: instant() },
    indexes: { byTime: { rowKey: { takenAt: constant("AT:", verbatim) } } },
  }) {}

  expect(() => modelOf(Indexed)).toThrow("takenAt");
});

test("a class of dates reads it, and an upgrade makes it of text", async () => {
  class Dated extends defineEntity({
    table: "Measurements",
    ...keys,
    properties: { takenAt: dateTime() },
  }) {}
  class Upgraded extends defineEntity({
    table: "Measurements",
    ...keys,
    properties: { takenAt: instant() },
    version: upgrades({ Taken: text() }).to(
      2,
      retype("Taken", "takenAt", instant(), (day: string) => `${day}T10:00+01:00`),
    ),
  }) {}
  const storage = await storageWith("2026-11-25T10:00:00+01:00");
  const dated = await new TableContext(storage).query(Dated).where({ sensor: "s" }).single();
  expect(dated.takenAt).toEqual(new Date("2026-11-25T09:00:00Z"));

  const entity = { PartitionKey: "old", RowKey: "x", Taken: "2026-11-25" };
  await storage.write("Measurements", { type: "insert", entity });

  const found = await new TableContext(storage).query(Upgraded).where({ sensor: "old" }).single();
  expect(found.takenAt).toBe(nine);
});
