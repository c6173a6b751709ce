// Embedded objects of which storage or the program has only a part: attached, selected, initial and cleared ones.

import { withFaults } from "@partita/testing";
import { describe, expect, test } from "vitest";
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  standardSchema,
  TableContext,
  text,
} from "../../../src/index.ts";
import { constant, verbatim } from "../../../src/keys.ts";
import { embedded, json } from "../../../src/models.ts";
import type { StoredEntity, TableStorage, WriteOperation } from "../../../src/storage.ts";

class Address {
  street!: string;
  city?: string | undefined;
}
class Settings {
  theme?: string | undefined;
  size?: number | undefined;
}
class Home {
  street = "Unknown";
  city?: string | undefined;
  country?: string | undefined = "NO";
}

const keys = { table: "Clients", partitionKey: { tenant: text() }, rowKey: { id: text() } } as const;
const address = embedded(Address, { street: text(), city: text().optional() }).optional();
const settings = embedded(Settings, { theme: text().optional(), size: int32().optional() }).optional();

class Client extends defineEntity({ ...keys, properties: { name: text(), address, settings } }) {}

/** Its constructor makes an object that rows may lack. */
class Tenant extends defineEntity({
  ...keys,
  properties: {
    name: text(),
    home: embedded(Home, { street: text(), city: text().optional(), country: text().optional() }),
  },
}) {
  constructor(values?: ConstructorParameters<typeof Client>[0]) {
    super(values as never);
    this.home ??= new Home();
  }
}

const key = { tenant: "acme", id: "1" } as const;

interface Opened extends AsyncDisposable {
  readonly storage: TableStorage;
  readonly sent: WriteOperation[];
  row(): Promise<Record<string, unknown>>;
  client(): Promise<{ readonly context: TableContext; readonly client: Client }>;
}

async function open(first: object): Promise<Opened> {
  const inner = await openStorage("memory:");
  await createTables(inner, [Client]);
  await inner.write("Clients", {
    type: "insert",
    entity: { PartitionKey: "acme", RowKey: "1", name: "Ann", ...first } as StoredEntity,
  });
  const sent: WriteOperation[] = [];
  const storage = withFaults(inner, ({ operations }) => {
    sent.push(...operations);
    return undefined;
  });
  return {
    storage,
    sent,
    row: async () => {
      const row = await inner.get("Clients", { partitionKey: "acme", rowKey: "1" });
      const { PartitionKey: _, RowKey: _rowKey, Timestamp: _time, ...columns } = row ?? ({} as StoredEntity);
      return Object.fromEntries(Object.entries(columns).filter(([name]) => !name.includes("odata")));
    },
    client: async () => {
      const context = new TableContext(storage);
      const client = await context.find(Client, key);
      if (client === undefined) throw new Error("It was not found.");
      return { context, client };
    },
    [Symbol.asyncDispose]: () => inner.close(),
  };
}

const objectsOf = ({ address: home, settings: look }: Client): unknown => ({ address: home, settings: look });

describe("an object that is known in part", () => {
  test.each<object>([
    { address: { street: "Gate 1" } },
    { settings: { theme: "dark" } },
    { settings: { theme: "dark", size: 1 } },
    { settings: {} },
  ])("does not stand in the way of an attached entity's edits: %j", async (values) => {
    await using store = await open({ address_street: "Gate 1", address_city: "Oslo" });
    const context = new TableContext(store.storage);
    const client = new Client({ ...key, name: "Ann", ...values });
    context.attach(client, "*");

    client.name = "Bo";
    await context.saveChanges();

    expect(await store.row()).toEqual({ name: "Bo", address_street: "Gate 1", address_city: "Oslo" });
  });

  test("is edited by leaf after an upsert in merge mode", async () => {
    await using store = await open({ address_street: "Gate 1", address_city: "Oslo" });
    const context = new TableContext(store.storage);
    const client = new Client({ ...key, name: "Ann", address: { street: "Gate 2" }, settings: { size: 1 } });
    context.upsert(client, "merge");
    await context.saveChanges();

    if (client.address !== undefined) client.address.street = "Gate 3";
    await context.saveChanges();

    expect(await store.row()).toEqual({
      name: "Ann",
      address_street: "Gate 3",
      address_city: "Oslo",
      settings_size: 1,
    });
  });

  test("is sent by name when all of its leaves have values", async () => {
    await using store = await open({});
    const context = new TableContext(store.storage);
    const client = new Client({ ...key, name: "Ann", settings: { theme: "dark", size: 1 } });
    context.attach(client, "*");

    context.update(client, "settings");
    await context.saveChanges();

    expect(await store.row()).toEqual({ name: "Ann", settings_theme: "dark", settings_size: 1 });
  });
});

describe("an object that was assigned or cleared before it was read", () => {
  const first = { address_street: "Gate 1", address_city: "Oslo", settings_theme: "dark" };

  async function selected(store: Opened): Promise<{ context: TableContext; client: Client }> {
    const context = new TableContext(store.storage);
    const client = await context.query(Client).where({ tenant: "acme" }).select("name").single();
    return { context, client: client as Client };
  }

  test("is not mixed with the stored one once that is read", async () => {
    await using store = await open(first);
    const { context, client } = await selected(store);

    client.address = Object.assign(new Address(), { street: "Gate 2" });
    client.settings = new Settings();
    await context.find(Client, key);
    await context.saveChanges();

    expect(await store.row()).toEqual({ name: "Ann", address_street: "Gate 2", settings: true });
  });

  test("null is a request to clear it", async () => {
    await using store = await open(first);
    const { context, client } = await selected(store);

    Object.assign(client, { address: null, settings: null });
    expect(context.entry(client).changedProperties).toContain("address.city");
    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ error: { code: "entity.not-loaded" } }],
    });
    await context.find(Client, key);
    await context.saveChanges();

    expect(await store.row()).toEqual({ name: "Ann" });
  });

  test("assign refuses a part of it", async () => {
    await using store = await open(first);
    const { context, client } = await selected(store);

    expect(() => context.assign(client, { address: { street: "Gate 2" } })).toThrow(
      expect.objectContaining({ code: "entity.not-loaded" }),
    );
    expect(client.address).toBeUndefined();
  });
});

describe("an object that a constructor makes and the row lacks", () => {
  test("is stored with all of its values on the first edit", async () => {
    await using store = await open({});
    const context = new TableContext(store.storage);
    const tenant = await context.find(Tenant, key);
    if (tenant === undefined) throw new Error("It was not found.");
    expect(context.entry(tenant).state).toBe("unchanged");

    tenant.home.city = "Oslo";
    await context.saveChanges();

    expect(store.sent.map(({ type }) => type)).toEqual(["merge"]);
    const again = await new TableContext(store.storage).find(Tenant, key);
    expect(again?.home).toEqual({ street: "Unknown", city: "Oslo", country: "NO" });
  });

  test("is refused without a required leaf, whatever else is saved", async () => {
    await using store = await open({});
    const context = new TableContext(store.storage);
    const tenant = await context.find(Tenant, key);
    if (tenant === undefined) throw new Error("It was not found.");

    Object.assign(tenant.home, { street: undefined });
    tenant.name = "Bo";

    await expect(context.saveChanges()).rejects.toMatchObject({
      results: [{ error: { code: "property.required" } }],
    });
  });

  test("is not sent with edits of other properties", async () => {
    await using store = await open({});
    const context = new TableContext(store.storage);
    const tenant = await context.find(Tenant, key);
    if (tenant === undefined) throw new Error("It was not found.");

    tenant.name = "Bo";
    await context.saveChanges();

    expect(await store.row()).toEqual({ name: "Bo" });
  });
});

describe("conflicts", () => {
  type Edit = (client: Client) => void;
  const clear: Edit = (client) => {
    client.address = undefined;
    client.settings = undefined;
  };

  async function conflict(
    store: Opened,
    mine: Edit,
    theirs: Edit,
  ): Promise<Awaited<ReturnType<Opened["client"]>>> {
    const own = await store.client();
    const other = await store.client();
    theirs(other.client);
    await other.context.saveChanges();
    mine(own.client);
    return own;
  }

  test.each<readonly [what: string, row: object, theirs: Edit, names: readonly string[]]>([
    [
      "a leaf that they edited",
      { settings_theme: "dark" },
      ({ settings: look }) => Object.assign(look as Settings, { theme: "light" }),
      ["settings.theme"],
    ],
    [
      "a leaf that they added",
      { settings: true },
      ({ settings: look }) => Object.assign(look as Settings, { size: 1 }),
      ["settings.size"],
    ],
    [
      "a leaf that they added to one with a required leaf",
      { address_street: "Gate 1" },
      ({ address: home }) => Object.assign(home as Address, { city: "Oslo" }),
      ["address.city"],
    ],
  ])("a cleared object conflicts with %s, and stays cleared as mine", async (_what, row, theirs, names) => {
    await using store = await open(row);
    const { context, client } = await conflict(store, clear, theirs);
    const found: string[] = [];

    await context.resolveConflict(client, ({ property }) => {
      found.push(property);
      return "mine";
    });
    expect(objectsOf(client)).toEqual({});
    await context.saveChanges();

    expect(found).toEqual(names);
    expect(await store.row()).toEqual({ name: "Ann" });
  });

  test.each<readonly [marker: object, expected: object]>([
    [{}, { name: "Ann" }],
    [{ settings: true }, { name: "Ann", settings: true }],
  ])("theirs takes over that an object has no leaves, with %j", async (marker, expected) => {
    await using store = await open({ settings_theme: "dark", ...marker });
    const { context, client } = await conflict(
      store,
      ({ settings: look }) => Object.assign(look as Settings, { theme: "light" }),
      (other) => {
        if ("settings" in marker) other.settings = new Settings();
        else clear(other);
      },
    );

    await context.resolveConflict(client, () => "theirs");
    expect(context.entry(client).state).toBe("unchanged");
    await context.saveChanges();

    expect(await store.row()).toEqual(expected);
  });
});

describe("an index that copies a part of an object", () => {
  test.each<readonly [copy: readonly string[], isCovering: boolean]>([
    [["address.city"], false],
    [["address.street", "address.city"], true],
    [["address"], true],
  ])("%j: reads of the object are whole", async (copy, isCovering) => {
    class Indexed extends defineEntity({
      ...keys,
      properties: { name: text(), address },
      indexes: { byName: { rowKey: { name: constant("NAME:", verbatim) }, copy: copy as never } },
    }) {}
    await using storage = await openStorage("memory:");
    await createTables(storage, [Indexed]);
    const writer = new TableContext(storage);
    writer.create(Indexed, { ...key, id: "2", name: "Bo", address: { street: "Gate 1", city: "Oslo" } });
    await writer.saveChanges();

    const query = new TableContext(storage, { mergeOption: "noTracking" })
      .query(Indexed)
      .where({ tenant: "acme" })
      .via("byName")
      .select("address");

    expect(query.explain().reads).toBe(isCovering ? "copies" : "rows");
    expect((await query.toArray()).map(({ address: home }) => home)).toEqual([
      { street: "Gate 1", city: "Oslo" },
    ]);
  });
});

test("explicit tracking leaves an object alone that update() does not name", async () => {
  await using store = await open({ address_street: "Gate 1" });
  const context = new TableContext(store.storage, { tracking: "explicit" });
  const client = await context.find(Client, key);
  if (client?.address === undefined) throw new Error("It was not found.");

  Object.assign(client.address, { street: undefined });
  client.name = "Bo";
  context.update(client, "name");
  await context.saveChanges();

  expect(await store.row()).toEqual({ name: "Bo", address_street: "Gate 1" });
});

test("a schema's output that leaves out leaves does not clear them", async () => {
  await using store = await open({ address_street: "Gate 1", address_city: "oslo" });
  const schema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({ value: { address: { city: "Oslo" } } }),
    },
  } as const;
  const context = new TableContext(store.storage, {
    validate: standardSchema(Client, schema as never, { applyTransforms: true }),
  });
  const client = await context.find(Client, key);
  if (client === undefined) throw new Error("It was not found.");

  client.name = "Bo";
  await context.saveChanges();

  expect(client.address).toBeInstanceOf(Address);
  expect(await store.row()).toEqual({ name: "Bo", address_street: "Gate 1", address_city: "Oslo" });
});

test("members that are not stored may have values", async () => {
  class Cached {
    street!: string;
    cache?: number;
  }
  class Person extends defineEntity({
    ...keys,
    properties: { home: embedded(Cached, { street: text() }, { notStored: ["cache"] }) },
  }) {}
  await using store = await open({});
  const context = new TableContext(store.storage);
  const person = context.create(Person, { ...key, id: "2", home: { street: "Gate 1" } });

  person.home.cache = 1;
  await context.saveChanges();

  const row = await store.storage.get("Clients", { partitionKey: "acme", rowKey: "2" });
  expect(row).toMatchObject({ home_street: "Gate 1" });
  expect(row).not.toHaveProperty("home_cache");
});

test("equality of an object takes an object only", async () => {
  await using store = await open({});
  const clients = new TableContext(store.storage).query(Client);

  for (const value of ["Gate 1", true, 1])
    expect(() => clients.where({ tenant: "acme", address: value as never })).toThrow(
      expect.objectContaining({ code: "query.wrong-type" }),
    );
  expect(() => clients.where((c) => ((c.address as never) > 1) as never)).toThrow(
    expect.objectContaining({ code: "query.condition-operator" }),
  );
});

test("null of a JSON leaf is a value, and null of its object is none", async () => {
  class Note {
    data?: unknown;
  }
  class Noted extends defineEntity({
    ...keys,
    properties: { note: embedded(Note, { data: json<unknown>().optional() }).optional() },
  }) {}
  await using store = await open({});
  const context = new TableContext(store.storage);
  const noted = context.create(Noted, { ...key, id: "2", note: { data: null } });
  await context.saveChanges();
  const row = () => store.storage.get("Clients", { partitionKey: "acme", rowKey: "2" });
  expect(await row()).toMatchObject({ note_data: "null" });

  Object.assign(noted, { note: null });
  await context.saveChanges();

  expect(await row()).not.toHaveProperty("note_data");
});
