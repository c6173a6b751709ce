import { openStorage, type TableStorage } from "@partita/core";
import { forwardStorage } from "@partita/core/internal";
import { openTableService, tableSas } from "@partita/account";
import { tableQueues } from "@partita/queues";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startQueueServer, startTableServer, type TableServer } from "../src/index.ts";
import { queueAsker, queueOf } from "./queues/queue-client.ts";
import { type Ask, ownerAsker } from "./ask.ts";

// Servers over one storage have the same settings, and read them only for requests that need them.

const key = Buffer.from("the key of these tests").toString("base64");
const properties = "/?restype=service&comp=properties";
const acl = "/Things?comp=acl";
const policy = (id: string, permission: string): string =>
  `<SignedIdentifiers><SignedIdentifier><Id>${id}</Id><AccessPolicy><Expiry>2999-01-01</Expiry><Permission>${permission}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`;
const rule = (origin: string): string =>
  `<CorsRule><AllowedOrigins>${origin}</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>`;
const section = (inside: string): string => `<StorageServiceProperties>${inside}</StorageServiceProperties>`;
const metrics = (name: "HourMetrics" | "MinuteMetrics"): string =>
  section(
    `<${name}><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></${name}>`,
  );

let storage: TableStorage;
/** Requests to the storage, as `get Things`. */
let requests: string[];
let first: TableServer;
let second: TableServer;
let askFirst: Ask;
let askSecond: Ask;
beforeEach(async () => {
  storage = await openStorage("memory:");
  const note = (type: string, table: string): void => void requests.push(`${type} ${table}`);
  const counted = forwardStorage(storage, {
    query: (table, ...rest) => (note("query", table), storage.query(table, ...rest)),
    get: (table, ...rest) => (note("get", table), storage.get(table, ...rest)),
    write: (table, ...rest) => (note("write", table), storage.write(table, ...rest)),
    createTable: (table, ...rest) => (note("createTable", table), storage.createTable(table, ...rest)),
    listTables: (...rest) => (note("listTables", ""), storage.listTables(...rest)),
  });
  await storage.createTable("Things");
  await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } });
  requests = [];
  first = await startTableServer({ storage: counted, key });
  second = await startTableServer({ storage: counted, key });
  [askFirst, askSecond] = [ownerAsker(first), ownerAsker(second)];
});
afterEach(async () => {
  await first.close();
  await second.close();
  await storage.close();
});

const put = async (ask: Ask, path: string, body: string): Promise<number> =>
  (await ask(path, { method: "PUT", body })).status;

const requestsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const from = requests.length;
  await work();
  return requests.slice(from);
};

/** A point read of the row, with a signature of a stored policy. */
const readByPolicy = async ({ url, account }: TableServer, id: string): Promise<number> => {
  const sas = tableSas(
    { accountName: account, accountKey: key },
    { table: "Things", policy: id, protocol: "https,http" },
  );
  return (await fetch(`${url}/Things(PartitionKey='p',RowKey='r')?${sas}`)).status;
};

describe("a change at one server", () => {
  test("of a policy counts at the other at once, and so does its removal", async () => {
    expect(await readByPolicy(second, "readers")).toBe(403);
    expect(await put(askFirst, acl, policy("readers", "r"))).toBe(204);
    expect(await readByPolicy(second, "readers")).toBe(200);
    expect(await put(askSecond, acl, policy("readers", "a"))).toBe(204);
    expect(await readByPolicy(first, "readers")).toBe(403);
    expect(await put(askFirst, acl, "")).toBe(204);
    expect((await askSecond(acl)).text).not.toContain("readers");
  });

  test("of the rules for pages counts at the other at once", async () => {
    const allowed = async (ask: Ask): Promise<string | null> =>
      (await ask("/Things()", { headers: { origin: "https://a.example" } })).headers.get(
        "access-control-allow-origin",
      );
    expect(await allowed(askSecond)).toBeNull();
    await put(askFirst, properties, section(`<Cors>${rule("https://a.example")}</Cors>`));
    expect(await allowed(askSecond)).toBe("https://a.example");
    await put(askSecond, properties, section("<Cors/>"));
    expect(await allowed(askFirst)).toBeNull();
  });

  test("deletes a table's policies, and keeps those that were set for its successor meanwhile", async () => {
    await put(askFirst, acl, policy("old", "r"));
    // The other server creates the table and a policy while this one is deleting.
    const deleteTable = storage.deleteTable.bind(storage);
    let isReplaced = false;
    const slow = forwardStorage(storage, {
      deleteTable: async (table, options) => {
        await deleteTable(table, options);
        expect((await askSecond("/Tables", { method: "POST", body: '{"TableName":"Things"}' })).status).toBe(
          201,
        );
        expect(await put(askSecond, acl, policy("new", "r"))).toBe(204);
        isReplaced = true;
      },
    });
    await using deleting = await startTableServer({ storage: slow, key });

    expect((await ownerAsker(deleting)("/Tables('Things')", { method: "DELETE" })).status).toBe(204);
    expect(isReplaced).toBe(true);
    const { text } = await askFirst(acl);
    expect([text.includes("old"), text.includes("new")]).toEqual([false, true]);
  });
});

describe("changes at two servers at once", () => {
  test("of different sections of the properties are all kept", async () => {
    for (let round = 0; round < 10; round++) {
      await put(
        askFirst,
        properties,
        section(
          "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics><MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>",
        ),
      );
      expect(
        await Promise.all([
          put(askFirst, properties, metrics("HourMetrics")),
          put(askSecond, properties, metrics("MinuteMetrics")),
          put(askFirst, properties, section(`<Cors>${rule(`https://${round}.example`)}</Cors>`)),
        ]),
      ).toEqual([202, 202, 202]);

      const { text } = await askSecond(properties);
      expect(text.match(/<Enabled>true<\/Enabled><IncludeAPIs>/g)).toHaveLength(2);
      expect(text).toContain(`https://${round}.example`);
    }
  });

  test("of one table's policies leave those of one of them", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `policy${i}`);
    await Promise.all(ids.map((id, i) => put(i % 2 === 0 ? askFirst : askSecond, acl, policy(id, "r"))));

    const found = await Promise.all([askFirst(acl), askSecond(acl)]);
    expect(found[0].text).toMatch(/<Id>policy\d+<\/Id>/);
    expect(found[1].text).toBe(found[0].text);
  });
});

describe("settings are read only when a request needs them", () => {
  const row = "/Things(PartitionKey='p',RowKey='r')";
  const get = "get PartitaServerSettings";

  test("not by a request with the account's key or with an account's signature", async () => {
    expect(await requestsOf(() => askFirst(row))).toEqual(["get Things"]);
    expect(await requestsOf(() => put(askFirst, row, "{}"))).toEqual(["write Things"]);
    expect(await requestsOf(() => askFirst("/Tables"))).toEqual(["listTables "]);
    const sas = tableSas(
      { accountName: first.account, accountKey: key },
      { table: "Things", permissions: "r", expiresAt: new Date(Date.now() + 60_000), protocol: "https,http" },
    );
    expect(await requestsOf(() => fetch(`${first.url}${row}?${sas}`))).toEqual(["get Things"]);
  });

  test("a signature of a policy reads the table's policies, but one that is forged reads nothing", async () => {
    await put(askFirst, acl, policy("readers", "r"));
    expect(await requestsOf(() => readByPolicy(first, "readers"))).toEqual([get, "get Things"]);

    const forged = `${first.url}${row}?sv=2019-02-02&tn=things&si=readers&sig=${encodeURIComponent("A".repeat(43) + "=")}`;
    expect(await requestsOf(() => fetch(forged))).toEqual([]);
  });

  test("a page of another origin reads the rules", async () => {
    const headers = { origin: "https://a.example" };
    expect(await requestsOf(() => askFirst(row, { headers }))).toEqual([get, "get Things"]);
  });

  test("policies and properties are one row each", async () => {
    expect(await requestsOf(() => askFirst(properties))).toEqual([get]);
    expect(await requestsOf(() => askFirst(acl))).toEqual(["query Things", get]);
    const service = await openTableService(first.connectionString);
    expect(await service.getAccessPolicies("Things")).toEqual([]);
  });
});

test("rules that cannot be read refuse a page's write before it is applied", async () => {
  const failing = forwardStorage(storage, {
    get: (table, ...rest) =>
      table === "Things" ? storage.get(table, ...rest) : Promise.reject(new Error("no connection")),
  });
  await using server = await startTableServer({ storage: failing, key });
  const body = '{"PartitionKey":"p","RowKey":"page"}';
  const insert = (headers: Record<string, string>): ReturnType<Ask> =>
    ownerAsker(server)("/Things", { method: "POST", body, headers });

  expect((await insert({ origin: "https://a.example" })).status).toBe(500);
  expect((await insert({})).status).toBe(201);
});

test("two queue servers have the same queues, metadata and policies at once", async () => {
  await using one = await startQueueServer({ storage, key });
  await using other = await startQueueServer({ storage, key });
  const [here, there] = [queueOf(one, "orders"), queueOf(other, "orders")];
  await here.create({ metadata: { a: "1" } });
  expect((await there.getProperties()).metadata).toEqual({ a: "1" });
  await there.setMetadata({ b: "2" });
  expect((await here.getProperties()).metadata).toEqual({ b: "2" });
  await here.setAccessPolicy([{ id: "p", accessPolicy: { permissions: "r" } }]);
  expect((await there.getAccessPolicy()).signedIdentifiers).toHaveLength(1);
  await here.sendMessage("x");

  await there.delete();
  await expect(here.sendMessage("late")).rejects.toMatchObject({ statusCode: 404 });
  await here.create();
  expect((await there.getAccessPolicy()).signedIdentifiers).toEqual([]);
  expect((await there.getProperties()).metadata ?? {}).toEqual({});
});

test("a message that one queue server leases is changed and deleted by another, with its receipts", async () => {
  await using one = await startQueueServer({ storage, key });
  await using other = await startQueueServer({ storage, key });
  const [here, there] = [queueOf(one, "orders"), queueOf(other, "orders")];
  await here.create();
  await here.sendMessage("x");
  const [message] = (await here.receiveMessages()).receivedMessageItems;
  const { messageId = "", popReceipt = "" } = message ?? {};

  expect((await there.receiveMessages()).receivedMessageItems).toEqual([]);
  const renewed = await there.updateMessage(messageId, popReceipt, "y", 60);
  await expect(here.deleteMessage(messageId, popReceipt)).rejects.toMatchObject({ statusCode: 400 });
  await here.deleteMessage(messageId, renewed.popReceipt as string);
  expect((await there.getProperties()).approximateMessagesCount).toBe(0);
});

test("queues that two servers create at once belong to one of them, and keep its metadata", async () => {
  await using one = await startQueueServer({ storage, key });
  await using other = await startQueueServer({ storage, key });
  for (let round = 0; round < 20; round++) {
    const name = `orders-${round}`;
    const create = async (n: number): Promise<number> => {
      const headers = { "x-ms-meta-a": String(n) };
      return (await queueAsker(n % 2 === 0 ? one : other)(`/${name}`, { method: "PUT", headers })).status;
    };
    const statuses = await Promise.all([0, 1, 2, 3].map(create));

    const [winner, ...none] = statuses.flatMap((status, n) => (status === 201 ? [n] : []));
    expect(none).toEqual([]);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
    expect((await queueOf(other, name).getProperties()).metadata).toEqual({ a: String(winner) });
  }
  expect(await tableQueues(storage).listQueues()).toHaveLength(20);
});
