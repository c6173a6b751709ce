// The acceptance cases of embedded objects, T1 to T12, and the effects of their decisions. The same in all
// forms.

import { TableContext } from "@partita/core";
import { fromPlain, modelOf, toPlain } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import { beforeEach, expect, test } from "vitest";
import { calls, type EmbeddedClasses } from "./embedded-classes.ts";
import {
  type DomainStore,
  make,
  type OpenDomain,
  refusalOf,
  requestsOf,
  sentFor,
  writtenBy,
} from "./store.ts";

const key = { tenant: "acme", id: "1" } as const;
const home = { street: "Gate 1", city: "Oslo" } as const;

/** The columns of a row, without those of every row. */
async function columnsOf({ inner }: DomainStore, table: string, id = "1"): Promise<Partial<StoredEntity>> {
  const row = await inner.get(table, { partitionKey: "acme", rowKey: id });
  const { PartitionKey: _, RowKey: _rowKey, Timestamp: _time, ...columns } = found(row);
  return Object.fromEntries(
    Object.entries(columns).filter(
      ([name]) => !name.includes("odata") && !/^(created|updated)At$/.test(name),
    ),
  );
}

/** The value, which must exist. */
function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("It was not found.");
  return value;
}

/** The columns in the last write of the row, except the time of the save. */
const leavesSent = (store: DomainStore): string[] =>
  writtenBy(sentFor(store, "1")).filter((name) => name !== "updatedAt");

/** Another writer stores a row. */
const put = ({ inner }: DomainStore, table: string, values: object, id = "1"): Promise<unknown> =>
  inner.write(table, { type: "insert", entity: { PartitionKey: "acme", RowKey: id, ...values } });

const times = {
  "createdAt@odata.type": "Edm.DateTime",
  createdAt: "2026-01-01T00:00:00Z",
  "updatedAt@odata.type": "Edm.DateTime",
  updatedAt: "2026-01-01T00:00:00Z",
} as const;

export function embeddedCases(open: OpenDomain, classes: EmbeddedClasses): void {
  const { Client, Price, Unbuilt, Twice, Address, Settings, Money } = classes;
  type Client = InstanceType<typeof Client>;

  beforeEach(() => {
    calls.count = 0;
  });

  /** A stored client, read in its own context. Its requests don't count as sent. */
  async function loaded(
    store: DomainStore,
    values: Partial<Client> = { address: { ...home } as Client["address"] },
  ): Promise<{ readonly context: TableContext; readonly client: Client }> {
    const writer = new TableContext(store.storage);
    writer.create(Client, { ...key, name: "Ann", ...values } as never);
    await writer.saveChanges();
    store.reset();
    const context = new TableContext(store.storage);
    const client = found(await context.find(Client, key));
    return { context, client };
  }

  test("T1: an embedded object is stored by its leaves", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    context.create(Client, { ...key, name: "Ann", address: { ...home } });
    await context.saveChanges();

    expect(await columnsOf(store, "Clients")).toEqual({
      name: "Ann",
      address_street: "Gate 1",
      address_city: "Oslo",
    });
  });

  test("T2: a merge sends the leaf that was edited", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);

    if (client.address !== undefined) client.address.city = "Bergen";

    expect(context.entry(client).changedProperties).toEqual(["address.city"]);
    await context.saveChanges();
    expect(requestsOf(store).flat()).toContain("merge 1");
    expect(leavesSent(store)).toEqual(["address_city"]);
  });

  test("T3: another object sends the leaves that differ", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);

    client.address = make(Address, { street: "Gate 2", city: "Oslo" });
    await context.saveChanges();

    expect(requestsOf(store)).toEqual([["merge 1", "merge CITY:Oslo!1"]]);
    expect(leavesSent(store)).toEqual(["address_street"]);
    client.address = make(Address, { street: "Gate 2", city: "Oslo" });
    await context.saveChanges();
    expect(store.sent).toHaveLength(1);
  });

  test("T4: a leaf is cleared by a replace that keeps every other column", async () => {
    await using store = await open();
    await put(store, "Clients", {
      ...times,
      name: "Ann",
      address_street: "Gate 1",
      address_city: "Oslo",
      other: 1,
    });
    const context = new TableContext(store.storage);
    const client = found(await context.find(Client, key));

    if (client.address !== undefined) client.address.city = undefined;
    await context.saveChanges();

    expect(sentFor(store, "1").type).toBe("replace");
    expect(await columnsOf(store, "Clients")).toEqual({ name: "Ann", address_street: "Gate 1", other: 1 });
  });

  test.for([null, undefined])(
    "T5: an object that becomes %s is cleared, and reads as undefined",
    async (none) => {
      await using store = await open();
      const { context, client } = await loaded(store);

      client.address = none as undefined;
      await context.saveChanges();

      expect(sentFor(store, "1").type).toBe("replace");
      expect(await columnsOf(store, "Clients")).toEqual({ name: "Ann" });
      const again = await new TableContext(store.storage).find(Client, key);
      expect(again?.address).toBeUndefined();
    },
  );

  test("T6: a row without a required leaf of an object that is there is refused, with the path", async () => {
    await using store = await open();
    await put(store, "Clients", { ...times, name: "Ann", address_city: "Oslo" });

    const reading = new TableContext(store.storage).find(Client, key);

    await expect(reading).rejects.toMatchObject({
      code: "property.absent",
      message: expect.stringContaining("address.street"),
    });
  });

  test("T7: what is read, created or given as plain values is an instance of the class", async () => {
    await using store = await open();
    const { client } = await loaded(store);
    const created = new TableContext(store.storage).create(Client, {
      ...key,
      id: "2",
      name: "Bo",
      address: { ...home, position: { x: 1 } },
    });

    for (const { address } of [client, created]) {
      expect(address).toBeInstanceOf(Address);
      expect(address?.label()).toBe("Gate 1, Oslo");
    }
    expect(created.address?.position?.constructor.name).toBe("Position");
  });

  test("T8: a class that needs arguments is built by create, or refused at first use", async () => {
    await using store = await open();
    expect(() => modelOf(Unbuilt)).toThrow(
      expect.objectContaining({
        code: "model.constructor-failed",
        message: expect.stringContaining("Unbuilt.money"),
      }),
    );
    const writer = new TableContext(store.storage);
    writer.create(Price, { ...key, money: { amount: "1", currency: "NOK" } });
    await writer.saveChanges();
    store.reset();
    const context = new TableContext(store.storage);
    const price = found(await context.find(Price, key));

    expect(price.money).toBeInstanceOf(Money);
    expect(Object.isFrozen(price.money)).toBe(true);
    price.money = new Money({ amount: "2", currency: "NOK" });
    await context.saveChanges();

    expect(leavesSent(store)).toEqual(["money_amount"]);
  });

  test("T9: conditions compare leaves, and ask whether there is an object", async () => {
    await using store = await open();
    await loaded(store);
    await put(store, "Clients", { ...times, name: "Bo", settings: true }, "2");
    await put(store, "Clients", { ...times, name: "Cy", settings_size: 3 }, "3");
    const context = new TableContext(store.storage);
    const clients = context.query(Client).where({ tenant: "acme" });
    const byCallback = clients.where((c) => c.address.street.eq("Gate 1"));
    const byObject = clients.where({ address: { street: "Gate 1" } });

    for (const query of [byCallback, byObject]) {
      expect((await query.toArray()).map(({ id }) => id)).toEqual(["1"]);
      expect(query.explain().requests[0]?.filter).toBe("address_street eq 'Gate 1'");
    }
    const withAddress = await clients.where((c) => c.address.exists()).toArray();
    expect(withAddress.map(({ id }) => id)).toEqual(["1"]);
    const withSettings = await clients.where((c) => c.settings.exists()).toArray();
    expect(withSettings.map(({ id }) => id)).toEqual(["2", "3"]);
    const without = await clients.where((c) => c.settings.exists().not()).toArray();
    expect(without.map(({ id }) => id)).toEqual(["1"]);
  });

  test("T9: an object of no values, or of an unknown one, is refused as a condition", async () => {
    await using store = await open();
    const clients = new TableContext(store.storage).query(Client).where({ tenant: "acme" });

    expect(() => clients.where({ address: {} })).toThrow(
      expect.objectContaining({ code: "query.wrong-type" }),
    );
    expect(() => clients.where({ address: { town: "Oslo" } as never })).toThrow(
      expect.objectContaining({ code: "query.unknown-property" }),
    );
  });

  test("T10: a property under the stored name of a leaf is refused", () => {
    expect(() => modelOf(Twice)).toThrow(
      expect.objectContaining({
        code: "model.stored-name-twice",
        message: expect.stringMatching(/Twice\.address_city.*Twice\.address\.city/),
      }),
    );
  });

  test("T12: an index by a leaf finds rows, and follows the leaf", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);
    const writer = new TableContext(store.storage);
    writer.create(Client, { ...key, id: "2", name: "Bo", address: { street: "Gate 2", city: "Oslo" } });
    writer.create(Client, { ...key, id: "3", name: "Cy", address: { street: "Gate 3" } });
    await writer.saveChanges();
    const indexRows = async (): Promise<string[]> =>
      (await store.inner.query("Clients", {})).entities
        .map(({ RowKey }) => RowKey)
        .filter((rowKey) => rowKey.startsWith("CITY:"));
    expect(await indexRows()).toEqual(["CITY:Oslo!1", "CITY:Oslo!2"]);

    const inOslo = context.query(Client).where({ tenant: "acme", address: { city: "Oslo" } });
    expect((await inOslo.toArray()).map(({ id }) => id)).toEqual(["1", "2"]);
    expect(inOslo.explain().index).toBe("byCity");
    const all = await context.query(Client).where({ tenant: "acme" }).via("byCity").toArray();
    expect(all.map(({ address }) => address?.label())).toEqual(["Gate 1, Oslo", "Gate 2, Oslo"]);

    store.reset();
    if (client.address !== undefined) client.address.city = "Bergen";
    await context.saveChanges();
    expect(store.sent).toHaveLength(1);
    expect(await indexRows()).toEqual(["CITY:Bergen!1", "CITY:Oslo!2"]);
  });

  test("an object without any value is stored by a column of its own name", async () => {
    await using store = await open();
    const { context, client } = await loaded(store, { settings: {} });
    expect(await columnsOf(store, "Clients")).toEqual({ name: "Ann", settings: true });
    expect(client.settings).toBeInstanceOf(Settings);

    if (client.settings !== undefined) client.settings.theme = "dark";
    await context.saveChanges();
    expect(leavesSent(store)).toEqual(["settings_theme"]);

    if (client.settings !== undefined) client.settings.theme = undefined;
    await context.saveChanges();
    const again = await new TableContext(store.storage).find(Client, key);
    expect(again?.settings).toBeInstanceOf(Settings);

    client.settings = undefined;
    await context.saveChanges();
    expect(await columnsOf(store, "Clients")).toEqual({ name: "Ann" });
  });

  test("a nested object is stored under the names of all that hold it", async () => {
    await using store = await open();
    const { context, client } = await loaded(store, {
      address: { ...home, position: { x: 1, y: 2 } } as Client["address"],
    });
    expect(await columnsOf(store, "Clients")).toMatchObject({ address_position_x: 1, address_position_y: 2 });

    if (client.address?.position !== undefined) client.address.position.y = 3;
    expect(context.entry(client).changedProperties).toEqual(["address.position.y"]);
    await context.saveChanges();
    expect(leavesSent(store)).toEqual(["address_position_y"]);
    const query = context.query(Client).where((c) => [c.tenant.eq("acme"), c.address.position.y.eq(3)]);
    expect(await query.toArray()).toEqual([client]);
  });

  test("an object that is required, and one that is not an object, are refused with their names", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    context.add(make(Price as never, { ...key }));
    expect(await refusalOf(context.saveChanges())).toMatchObject({
      code: "property.required",
      message: expect.stringContaining("Price.money.amount"),
    });
    const other = new TableContext(store.storage);
    other.add(make(Client as never, { ...key, name: "Ann", address: "Gate 1" }));
    expect(await refusalOf(other.saveChanges())).toMatchObject({
      code: "edm.wrong-type",
      message: expect.stringContaining("Client.address"),
    });
    expect(store.sent).toEqual([]);
  });

  test("a member that the class does not store is refused", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const address = { ...home, town: "Oslo" };
    expect(() => context.create(Client, { ...key, name: "Ann", address })).toThrow(
      expect.objectContaining({
        code: "plain.unknown-property",
        message: expect.stringContaining("address.town"),
      }),
    );
    context.add(make(Client as never, { ...key, name: "Ann", address }));
    expect(await refusalOf(context.saveChanges())).toMatchObject({
      code: "entity.undeclared",
      message: expect.stringContaining("address.town"),
    });
  });

  test("a default function of a leaf is called for new objects only", async () => {
    await using store = await open();
    const context = new TableContext(store.storage);

    const price = context.create(Price, { ...key, money: { amount: "1" } as never });
    await context.saveChanges();

    expect(price.money).toEqual(new Money({ amount: "1", currency: "C1" }));
    await new TableContext(store.storage).find(Price, key);
    expect(calls.count).toBe(1);
  });

  test("discard, reload and conflicts go leaf by leaf", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);
    const other = new TableContext(store.storage);
    const theirs = found(await other.find(Client, key));
    if (theirs.address !== undefined) theirs.address.street = "Gate 9";
    await other.saveChanges();

    if (client.address !== undefined) client.address.city = "Bergen";
    await context.reload(client, { mergeOption: "preserveChanges" } as never);
    expect(context.entry(client).conflicts).toEqual([]);
    expect(client.address).toMatchObject({ street: "Gate 9", city: "Bergen" });

    context.discard(client);
    expect(client.address).toMatchObject({ street: "Gate 9", city: "Oslo" });
    expect(context.entry(client).state).toBe("unchanged");
  });

  test("both sides of one leaf are a conflict, which can be resolved", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);
    const other = new TableContext(store.storage);
    const theirs = found(await other.find(Client, key));
    if (theirs.address !== undefined) theirs.address.city = "Moss";
    await other.saveChanges();
    if (client.address !== undefined) client.address.city = "Bergen";

    await context.resolveConflict(client, ({ property, base, mine, theirs: stored }) => {
      expect([property, base, mine, stored]).toEqual(["address.city", "Oslo", "Bergen", "Moss"]);
      return { value: "Hamar" };
    });
    await context.saveChanges();

    expect(await columnsOf(store, "Clients")).toMatchObject({
      address_city: "Hamar",
      address_street: "Gate 1",
    });
  });

  test("select reads whole objects, and no single leaf", async () => {
    await using store = await open();
    await loaded(store);
    const context = new TableContext(store.storage);
    const clients = context.query(Client).where({ tenant: "acme" });

    const [one] = await clients.select("address").toArray();
    expect(one?.address?.label()).toBe("Gate 1, Oslo");
    expect(() => clients.select("address.city" as never)).toThrow(
      expect.objectContaining({ code: "query.unknown-property" }),
    );
    const other = new TableContext(store.storage);
    const part = await other.query(Client).where({ tenant: "acme" }).select("name").single();
    expect(part).toHaveProperty("address", undefined);
    expect(other.entry(part).notLoaded.toSorted()).toEqual(["address", "createdAt", "settings", "updatedAt"]);
  });

  test("an object that was not loaded is not replaced in part, and other properties are saved", async () => {
    await using store = await open();
    const writer = new TableContext(store.storage);
    writer.create(Price, {
      ...key,
      money: { amount: "1", currency: "NOK" },
      discount: { amount: "2" } as never,
    });
    await writer.saveChanges();
    const context = new TableContext(store.storage);
    const price = await context.query(Price).where({ tenant: "acme" }).select("discount").single();

    if (price.discount !== undefined) price.discount = { amount: "3" } as typeof price.discount;
    await context.saveChanges();
    expect(await columnsOf(store, "Prices")).toEqual({
      money_amount: "1",
      money_currency: "NOK",
      rebate_amount: "3",
    });
    Object.assign(price, { money: { amount: "4" } });
    expect(await refusalOf(context.saveChanges())).toMatchObject({ code: "entity.not-loaded" });
  });

  test("update names all leaves of an object", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);

    context.update(client, "address");
    await context.saveChanges();

    expect(leavesSent(store)).toEqual(["address_street", "address_city"]);
  });

  test("plain data has nested objects, and gives instances back", async () => {
    await using store = await open();
    const { client } = await loaded(store, {
      address: { ...home, position: { x: 1 } } as Client["address"],
      settings: {},
    });

    const plain = toPlain(client);
    expect(plain).toMatchObject({ address: { ...home, position: { x: 1 } }, settings: {} });
    const again = fromPlain(Client, JSON.parse(JSON.stringify(plain)) as never);
    expect(again).toEqual(client);
    expect(again.address).toBeInstanceOf(Address);
    expect(() => fromPlain(Client, { ...key, address: { street: 1 } } as never)).toThrow(
      expect.objectContaining({
        code: "plain.invalid-value",
        message: expect.stringContaining("address.street"),
      }),
    );
  });

  test("assign merges an embedded object, and null clears", async () => {
    await using store = await open();
    const { context, client } = await loaded(store);
    const patch = (plain: object): void => context.assign(client, plain as never);

    patch({ address: { city: "Bergen" } });
    expect(client.address).toMatchObject({ street: "Gate 1", city: "Bergen" });
    patch({ address: { city: null } });
    expect(client.address).toMatchObject({ street: "Gate 1", city: undefined });
    for (const wrong of [{ street: null }, { street: 1 }, { town: "x" }, "Oslo"])
      expect(() => patch({ name: "Changed", address: wrong })).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^plain\./) }),
      );
    expect(client).toMatchObject({ name: "Ann", address: { street: "Gate 1" } });
    patch({ address: null });
    expect(client.address).toBeUndefined();
    expect(() => patch({ address: { city: "Oslo" } })).toThrow(
      expect.objectContaining({
        code: "plain.invalid-value",
        message: expect.stringContaining("address.street"),
      }),
    );
  });

  test("a validator that edits its copy of an object changes the object where it may", async () => {
    await using store = await open();
    const trim = (entity: object): [] => {
      const { address } = entity as Client;
      if (address !== undefined) address.city = address.city?.trim();
      return [];
    };
    const validate = Object.assign(trim, { applyTransforms: true });
    const context = new TableContext(store.storage, { validate });
    const client = context.create(Client, { ...key, name: "Ann", address: { ...home, city: " Oslo " } });
    const given = client.address;

    await context.saveChanges();

    expect(await columnsOf(store, "Clients")).toMatchObject({ address_city: "Oslo" });
    expect(given?.city).toBe(" Oslo ");
  });
}
