import { openStorage, type TableStorage } from "@partita/core";
import { openTableService, tableSas } from "@partita/account";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { withFaults } from "@partita/testing";
import { type Ask, codeIn, ownerAsker } from "./ask.ts";
import { type Served, services, serveTables } from "./balanced.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const hidden = "PartitaServerSettings";
const key = Buffer.from("the key of these tests").toString("base64");
const aclOf = (table: string): string => `/${table}?comp=acl`;
const properties = "/?restype=service&comp=properties";
const policy = (id: string, inside = ""): string =>
  `<SignedIdentifiers><SignedIdentifier><Id>${id}</Id>${inside}</SignedIdentifier></SignedIdentifiers>`;
const readers = policy(
  "readers",
  "<AccessPolicy><Expiry>2999-01-01</Expiry><Permission>r</Permission></AccessPolicy>",
);
const put = async (ask: Ask, path: string, body: string): Promise<number> =>
  (await ask(path, { method: "PUT", body })).status;

let files = 0;
let file: string;
beforeEach(() => {
  file = folder.file(`${++files}.db`);
});

describe.each(services)("$name, started again over a file", ({ servers }) => {
  /** Serves the file while the work is done, and closes it. */
  async function serving<Result>(
    work: (ask: Ask, server: Served, storage: TableStorage) => Promise<Result>,
  ): Promise<Result> {
    await using storage = await openStorage(`file:${file}`);
    await using server = await serveTables(servers, { storage, key });
    return await work(ownerAsker(server), server, storage);
  }

  test("has the access policies that were set, and lets their signatures in", async () => {
    await serving(async (ask, server, storage) => {
      await storage.createTable("Things");
      await storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } });
      const service = await openTableService(server.connectionString);
      await service.setAccessPolicies("Things", [
        { id: "readers", permissions: "r", expiresAt: "2999-01-01T00:00:00Z" },
      ]);
      expect((await ask(aclOf("things"))).text).toContain("<Id>readers</Id>");
    });

    await serving(async (_ask, server) => {
      const service = await openTableService(server.connectionString);
      expect(await service.getAccessPolicies("Things")).toEqual([
        { id: "readers", permissions: "r", expiresAt: "2999-01-01T00:00:00.0000000Z" },
      ]);
      const shared = { accountName: server.account, accountKey: key };
      const sas = tableSas(shared, { table: "Things", policy: "readers", protocol: "https,http" });
      await using reader = await openStorage(`${server.url}?${sas}`);
      expect(await reader.get("Things", { partitionKey: "p", rowKey: "r" })).toBeDefined();
      await service.setAccessPolicies("Things", []);
    });

    await serving(async (ask) => {
      expect((await ask(aclOf("Things"))).text).not.toContain("readers");
    });
  });

  test("has the service properties that were set, the latest of each section", async () => {
    const rule =
      "<CorsRule><AllowedOrigins>https://a.example</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders>x-ms-*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>";
    const logging =
      "<Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging>";
    const before = await serving(async (ask) => {
      for (const section of [logging, `<Cors>${rule}</Cors>`])
        expect(
          await put(ask, properties, `<StorageServiceProperties>${section}</StorageServiceProperties>`),
        ).toBe(202);
      return (await ask(properties)).text;
    });

    expect(before).toContain(rule);
    expect(before).toContain(logging);
    await serving(async (ask) => {
      expect((await ask(properties)).text).toBe(before);
      const { headers } = await ask("/Tables", { headers: { origin: "https://a.example" } });
      expect(headers.get("access-control-allow-origin")).toBe("https://a.example");
    });
  });

  test("has the policies of the last of many changes at once", async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `policy${i}`);
    const before = await serving(async (ask, _server, storage) => {
      await storage.createTable("Things");
      await Promise.all(ids.map((id) => put(ask, aclOf("Things"), policy(id))));
      return (await ask(aclOf("Things"))).text;
    });

    expect(before).toMatch(/<Id>policy\d+<\/Id>/);
    expect(await serving(async (ask) => (await ask(aclOf("Things"))).text)).toBe(before);
  });

  test("has none for a table that was deleted, or is another one of its name", async () => {
    await serving(async (ask) => {
      const create = (): ReturnType<Ask> =>
        ask("/Tables", { method: "POST", body: '{"TableName":"Things"}' });
      expect((await create()).status).toBe(201);
      expect(await put(ask, aclOf("Things"), readers)).toBe(204);
      expect((await ask("/Tables('things')", { method: "DELETE" })).status).toBe(204);
      expect((await create()).status).toBe(201);
      expect((await ask(aclOf("Things"))).text).not.toContain("readers");
    });

    await serving(async (ask) => {
      expect((await ask(aclOf("Things"))).text).not.toContain("readers");
    });
  });

  test("drops the policies of a table that was deleted without it, when the table is created again", async () => {
    await serving(async (ask, _server, storage) => {
      await storage.createTable("Things");
      expect(await put(ask, aclOf("Things"), readers)).toBe(204);
      await storage.deleteTable("Things");
    });

    for (let start = 0; start < 2; start++)
      await serving(async (ask, _server, storage) => {
        if (start === 0) await ask("/Tables", { method: "POST", body: '{"TableName":"Things"}' });
        expect((await ask(aclOf("Things"))).text).not.toContain("readers");
        expect(await storage.listTables()).toContain("Things");
      });
  });
});

describe("the table of the settings", () => {
  let server: TableServer;
  let inner: TableStorage;
  let client: TableStorage;
  let ask: Ask;
  beforeAll(async () => {
    inner = await openStorage("memory:");
    server = await startTableServer({ storage: inner });
    client = await openStorage(server.connectionString);
    ask = ownerAsker(server);
    await client.createTable("Things");
  });
  afterAll(async () => {
    await client.close();
    await server.close();
    await inner.close();
  });

  test("comes with the first setting only, and is in no client's list", async () => {
    expect(await inner.listTables()).toEqual(["Things"]);

    expect(await put(ask, aclOf("Things"), readers)).toBe(204);

    expect(await inner.listTables()).toEqual([hidden, "Things"]);
    expect(await client.listTables()).toEqual(["Things"]);
    expect((await ask("/Tables")).text).not.toMatch(/PartitaServerSettings/i);
    expect((await ask(`/Tables?$filter=TableName%20eq%20'${hidden}'`)).text).not.toMatch(/"TableName"/);
  });

  test.each([hidden, hidden.toLowerCase(), hidden.toUpperCase()])(
    "is missing for clients, and cannot be created, as %s",
    async (name) => {
      expect(await put(ask, aclOf("Things"), readers)).toBe(204);
      const row = '{"PartitionKey":"properties","RowKey":""}';
      const at = `/${name}(PartitionKey='policies',RowKey='things')`;
      const asked: readonly (readonly [path: string, method?: string, body?: string])[] = [
        [`/${name}()`],
        [at],
        [`/${name}`, "POST", row],
        [at, "PUT", "{}"],
        [at, "MERGE", "{}"],
        [`/Tables('${name}')`],
        [`/Tables('${name}')`, "DELETE"],
        [aclOf(name)],
        [aclOf(name), "PUT", readers],
      ];

      for (const [path, method = "GET", body] of asked) {
        const response = await ask(path, { method, ...(body !== undefined && { body }) });
        expect([path, method, response.status]).toEqual([path, method, 404]);
      }
      const removed = await ask(at, { method: "DELETE", headers: { "if-match": "*" } });
      expect(removed.status).toBe(404);
      await expect(
        client.transact(name, [{ type: "upsert-merge", entity: { PartitionKey: "policies", RowKey: "x" } }]),
      ).rejects.toMatchObject({ serviceCode: "TableNotFound" });
      const created = await ask("/Tables", { method: "POST", body: `{"TableName":"${name}"}` });
      expect([created.status, codeIn(created.text)]).toEqual([400, "InvalidResourceName"]);
      expect((await inner.query(hidden, {})).entities).toHaveLength(1);
    },
  );

  test("never fails as planned", async () => {
    const log = withFaults(server, () => "error");
    expect(await put(ask, properties, "<StorageServiceProperties><Cors/></StorageServiceProperties>")).toBe(
      202,
    );
    withFaults(server, () => undefined);

    expect(log.requests).toEqual([]);
  });
});

test("a server over a storage that reaches one table only serves that, and sets nothing", async () => {
  await using outer = await startTableServer();
  await using all = await openStorage(outer.connectionString);
  await all.createTable("Things");
  const shared = { accountName: outer.account, accountKey: outer.key };
  const expiresAt = new Date(Date.now() + 600_000);
  const sas = tableSas(shared, { table: "Things", permissions: "r", expiresAt, protocol: "https,http" });
  await using one = await openStorage(`${outer.url}?${sas}`);
  await using server = await startTableServer({ storage: one });
  const ask = ownerAsker(server);

  expect((await ask("/Things()")).status).toBe(200);
  expect(await put(ask, aclOf("Things"), readers)).toBe(403);
  expect((await ask(aclOf("Things"))).text).not.toContain("readers");
});

test("a server does not start over a table of that name with something else", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable(hidden);
  await using empty = await startTableServer({ storage });
  expect(empty.port).toBeGreaterThan(0);

  await storage.write(hidden, {
    type: "insert",
    entity: { PartitionKey: "p", RowKey: "r", secret: "canary" },
  });

  const start = startTableServer({ storage });
  await expect(start).rejects.toMatchObject({ code: "storage.foreign-settings" });
  await expect(start).rejects.toThrow(
    /PartitaServerSettings of (memory|postgres):\S* has other contents.*Copy/,
  );
  await expect(start).rejects.not.toThrow(/canary/);
});

test("a document that another program damaged is reported to its readers, and can be replaced", async () => {
  await using storage = await openStorage("memory:");
  await storage.createTable(hidden);
  await storage.createTable("Things");
  const entity = { PartitionKey: "policies", RowKey: "things", Document: "<SignedIdentifiers>" };
  await storage.write(hidden, { type: "insert", entity });
  await using server = await startTableServer({ storage });
  const ask = ownerAsker(server);

  const { status, text } = await ask(aclOf("Things"));
  expect([status, codeIn(text)]).toEqual([500, "InternalError"]);
  expect(text).toMatch(/The table PartitaServerSettings has other contents.*Copy/);
  expect((await ask("/Things()")).status).toBe(200);
  expect(await put(ask, aclOf("Things"), readers)).toBe(204);
  expect((await ask(aclOf("Things"))).text).toContain("readers");
});

describe("access policies", () => {
  let server: TableServer;
  let ask: Ask;
  beforeAll(async () => {
    server = await startTableServer();
    ask = ownerAsker(server);
    await ask("/Tables", { method: "POST", body: '{"TableName":"Things"}' });
  });
  afterAll(() => server.close());

  test("are answered with times in UTC of seven fractional digits", async () => {
    const times = "<Start>2015-01-01T12:10Z</Start><Expiry>2015-01-02T00:00:00.5+02:00</Expiry>";
    expect(await put(ask, aclOf("Things"), policy("a", `<AccessPolicy>${times}</AccessPolicy>`))).toBe(204);

    expect((await ask(aclOf("Things"))).text).toContain(
      "<Id>a</Id><AccessPolicy><Start>2015-01-01T12:10:00.0000000Z</Start><Expiry>2015-01-01T22:00:00.5000000Z</Expiry></AccessPolicy>",
    );
  });

  test.each(["", "<AccessPolicy/>", "<AccessPolicy><Start/><Expiry/><Permission/></AccessPolicy>"])(
    "that say nothing are answered without the element: %j",
    async (inside) => {
      expect(await put(ask, aclOf("Things"), policy("empty", inside))).toBe(204);

      const { text } = await ask(aclOf("Things"));
      expect(text).toContain("<SignedIdentifier><Id>empty</Id></SignedIdentifier>");
    },
  );

  test.each([
    ["<Start>soon</Start>"],
    ["<Expiry>2015-02-30</Expiry>"],
    ["<Permission>rx</Permission>"],
    ["<Permission>rrrrr</Permission>"],
  ])("with %s are refused", async (inside) => {
    const response = await ask(aclOf("Things"), {
      method: "PUT",
      body: policy("a", `<AccessPolicy>${inside}</AccessPolicy>`),
    });

    expect([response.status, codeIn(response.text)]).toEqual([400, "InvalidXmlDocument"]);
  });
});
