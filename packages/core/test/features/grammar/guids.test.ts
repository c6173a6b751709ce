import { afterEach, beforeEach, expect, test } from "vitest";
import {
  defineEntity,
  guid,
  int64,
  odata,
  openStorage,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";

class Device extends defineEntity({
  table: "Devices",
  partitionKey: { tenant: text() },
  rowKey: { id: guid() },
  properties: { owner: guid(), reads: int64().optional() },
}) {}

const id = "4185404a-5818-48c3-b9be-f217df0dba6f";
const owner = "aaaabbbb-cccc-dddd-eeee-ffff00001111";
const capitals = (text_: string): string => text_.toUpperCase();

let storage: TableStorage;
let context: TableContext;
beforeEach(async () => {
  storage = await openStorage("memory:");
  await storage.createTable("Devices");
  context = new TableContext(storage);
  context.create(Device, { tenant: "t", id: capitals(id), owner: capitals(owner) });
  await context.saveChanges();
});
afterEach(() => storage.close());

test("a GUID in capitals is stored in lower case, and is no change after the save", async () => {
  const [row] = (await storage.query("Devices", {})).entities;
  expect(row).toMatchObject({ PartitionKey: "t", RowKey: id, owner, "owner@odata.type": "Edm.Guid" });

  expect(context.pendingChanges()).toEqual([]);
  expect((await context.saveChanges()).length).toBe(0);
});

test("it is found by its key, and by conditions on keys and properties, in capitals or not", async () => {
  for (const form of [capitals, (same: string): string => same]) {
    const fresh = new TableContext(storage);
    expect(await fresh.find(Device, { tenant: "t", id: form(id) })).toMatchObject({ id, owner });
    const query = fresh.query(Device).where((d) => d.tenant.eq("t"));
    for (const found of [
      query.where((d) => d.id.eq(form(id))),
      query.where((d) => d.id.in([form(id)])),
      query.where((d) => d.id.ge(form(id))),
      query.where((d) => d.owner.eq(form(owner))),
      query.where((d) => d.owner.in([form(owner)])),
      query.filter(odata`owner eq ${odata.guid(form(owner))}`),
    ])
      expect(await found.toArray()).toHaveLength(1);
  }
});

test("a row that is rewritten as a whole keeps it in lower case", async () => {
  const device = (await context.find(Device, { tenant: "t", id })) as Device;
  device.owner = capitals(id);
  device.reads = 12n;
  await context.saveChanges();
  expect((await storage.query("Devices", {})).entities[0]).toMatchObject({ owner: id, reads: "12" });

  // A property without a value is cleared by a replacing write, which sends the snapshot of all others.
  delete device.reads;
  await context.saveChanges();
  const [row] = (await storage.query("Devices", {})).entities;
  expect(row).toMatchObject({ owner: id });
  expect(row).not.toHaveProperty("reads");
});
