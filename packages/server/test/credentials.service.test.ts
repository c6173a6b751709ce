import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { openStorage, type StorageError, TableContext, type TableStorage } from "@partita/core";
import type { TokenCredential } from "@partita/core/rest";
import { systemClock } from "@partita/core/rest";
import { accountSas, openTableService, tableSas } from "@partita/account";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startTableServer, type TableServer } from "../src/index.ts";
import { virtualClock, withFaults } from "@partita/testing";
import { Thing } from "./thing.ts";

let server: TableServer;
let owner: TableStorage;
beforeAll(async () => {
  server = await startTableServer({ account: "acct" });
  owner = await openStorage(server.connectionString);
  await owner.createTable("Things");
  for (const rowKey of ["a", "b", "c"])
    await owner.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: rowKey } });
});
afterAll(() => server.close());
afterEach(() => {
  vi.restoreAllMocks();
});

const key = (rowKey: string): { partitionKey: string; rowKey: string } => ({ partitionKey: "p", rowKey });
const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: StorageError) => error.serviceCode ?? error.code,
  );
const otherKey = Buffer.from("another key of the account").toString("base64");

describe("account keys", () => {
  test("the second is used from when the service refuses the first, and the first again after it", async () => {
    const credential = { accountName: "acct", accountKey: otherKey, secondAccountKey: server.key };
    const storage = await openStorage(server.url, { credential });
    expect(await storage.listTables()).toEqual(["Things"]);
    const found = await Promise.all(["a", "b", "c"].map((rowKey) => storage.get("Things", key(rowKey))));
    expect(found).not.toContain(undefined);
  });

  test("two that are both wrong end in the service's refusal", async () => {
    const credential = { accountName: "acct", accountKey: otherKey, secondAccountKey: otherKey };
    expect(await codeOf((await openStorage(server.url, { credential })).listTables())).toBe(
      "AuthenticationFailed",
    );
  });

  test.each([-16, -14, 14, 16, 600])("a clock that is %d minutes off is found out, once", async (minutes) => {
    await using skewed = await startTableServer({
      account: "acct",
      clock: { ...systemClock, now: () => Date.now() + minutes * 60_000 },
    });
    const warnings: string[] = [];
    vi.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
    const log = withFaults(skewed, () => undefined);
    const storage = await openStorage(skewed.connectionString);
    await storage.createTable("Things");
    await storage.createTable("Others");
    expect(await storage.listTables()).toHaveLength(2);
    expect(log.requests).toHaveLength(3);
  });
});

describe("shared access signatures", () => {
  const expiresAt = new Date(Date.now() + 60_000);
  const shared = (): { accountName: string; accountKey: string } => ({
    accountName: "acct",
    accountKey: server.key,
  });
  const open = (sas: string): Promise<TableStorage> => openStorage(`${server.url}?${sas}`);
  const protocol = "https,http";

  test("of a table reach what they name, in transactions too", async () => {
    const storage = await open(
      tableSas(shared(), {
        table: "Things",
        permissions: "ru",
        expiresAt,
        protocol,
        startPartitionKey: "p",
        startRowKey: "b",
        endPartitionKey: "p",
      }),
    );
    const { entities } = await storage.query("Things", {});
    expect(entities.map(({ RowKey }) => RowKey)).toEqual(["b", "c"]);
    const merge = (rowKey: string): Parameters<TableStorage["write"]>[1] => ({
      type: "merge",
      entity: { PartitionKey: "p", RowKey: rowKey, N: 1 },
      etag: "*",
    });
    await storage.transact("Things", [merge("b"), merge("c")]);
    expect(await codeOf(storage.transact("Things", [merge("b"), merge("a")]))).toBe("AuthorizationFailure");
    expect(await codeOf(storage.get("Things", key("a")))).toBe("AuthorizationFailure");
    expect(await codeOf(storage.write("Things", { type: "delete", key: key("b"), etag: "*" }))).toBe(
      "AuthorizationPermissionMismatch",
    );
    expect(await codeOf(storage.listTables())).toBe("AuthorizationResourceTypeMismatch");
  });

  test("of an account do what their letters say", async () => {
    const storage = await open(accountSas(shared(), { permissions: "lr", expiresAt, protocol }));
    expect(await storage.listTables()).toEqual(["Things"]);
    expect(await storage.get("Things", key("a"))).toBeDefined();
    expect(await codeOf(storage.createTable("New"))).toBe("AuthorizationPermissionMismatch");
    const tablesOnly = await open(
      accountSas(shared(), { permissions: "rl", resourceTypes: "c", expiresAt, protocol }),
    );
    expect(await codeOf(tablesOnly.get("Things", key("a")))).toBe("AuthorizationResourceTypeMismatch");
  });

  test("for https only are not used over http", async () => {
    const sas = accountSas(shared(), { permissions: "r", expiresAt });
    await expect(open(sas)).rejects.toThrow(/for https only/);
  });

  test("end, begin, and hold for an address", async () => {
    const base = { permissions: "r", expiresAt, protocol } as const;
    const codes = await Promise.all(
      [
        { ...base, expiresAt: new Date(Date.now() - 1000) },
        { ...base, startsAt: new Date(Date.now() + 30_000) },
        { ...base, ipRange: "10.0.0.1-10.0.0.9" },
      ].map(async (options) => codeOf((await open(accountSas(shared(), options))).get("Things", key("a")))),
    );
    expect(codes).toEqual(["AuthenticationFailed", "AuthenticationFailed", "AuthorizationSourceIPMismatch"]);
  });

  test("by a stored policy are revoked with it", async () => {
    const service = await openTableService(server.connectionString);
    await service.setAccessPolicies("Things", [
      { id: "readers", permissions: "r", expiresAt: expiresAt.toISOString() },
    ]);
    expect(await service.getAccessPolicies("Things")).toMatchObject([{ id: "readers", permissions: "r" }]);
    const storage = await open(tableSas(shared(), { table: "Things", policy: "readers", protocol }));
    expect(await storage.get("Things", key("a"))).toBeDefined();
    await service.setAccessPolicies("Things", []);
    expect(await codeOf(storage.get("Things", key("a")))).toBe("AuthenticationFailed");
  });
});

describe("bearer tokens", () => {
  /** A service that takes the tokens it is told to. */
  async function tokenService(accepts: (token: string) => boolean): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    const http = createServer((request: IncomingMessage, response) => {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      seen.push(`${token} ${String(request.headers["x-ms-version"])}`);
      if (accepts(token)) response.writeHead(200, { "content-type": "application/json" }).end('{"value":[]}');
      else response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    closers.push(() => http.close());
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen };
  }
  const closers: (() => unknown)[] = [];
  afterAll(() => {
    for (const close of closers) close();
  });
  const issuing = (
    lifeMs: number,
  ): {
    asked: string[];
    getToken: (scope: string | string[]) => Promise<{ token: string; expiresOnTimestamp: number }>;
  } => {
    const asked: string[] = [];
    return {
      asked,
      getToken: async (scope) => {
        asked.push(String(scope));
        return { token: `t${asked.length}`, expiresOnTimestamp: Date.now() + lifeMs };
      },
    };
  };

  test("are asked for once by all that wait, and used until they end", async () => {
    const { url, seen } = await tokenService(() => true);
    const credential = issuing(3_600_000);
    const storage = await openStorage(url, { credential, allowInsecure: true });
    await Promise.all([storage.listTables(), storage.listTables(), storage.listTables()]);
    expect(credential.asked).toEqual(["https://storage.azure.com/.default"]);
    expect(seen).toEqual(["t1 2020-12-06", "t1 2020-12-06", "t1 2020-12-06"]);
  });

  test("are renewed when the service refuses one, once", async () => {
    const { url, seen } = await tokenService((token) => token === "t2");
    const credential = issuing(3_600_000);
    const storage = await openStorage(url, { credential, allowInsecure: true });
    await storage.listTables();
    expect(seen.map((line) => line.split(" ")[0])).toEqual(["t1", "t2"]);
    const never = await tokenService(() => false);
    const refused = await openStorage(never.url, { credential: issuing(3_600_000), allowInsecure: true });
    expect(await codeOf(refused.listTables())).toBe("storage.status401");
    expect(never.seen).toHaveLength(2);
  });

  test("are renewed before they end", async () => {
    const { url } = await tokenService(() => true);
    const credential = issuing(0);
    const storage = await openStorage(url, { credential, allowInsecure: true });
    await storage.listTables();
    await storage.listTables();
    expect(credential.asked).toHaveLength(2);
  });

  test("are good for their time, whatever the machine's clock is set to meanwhile", async () => {
    const { url } = await tokenService(() => true);
    const credential = issuing(3_600_000);
    let passedMs = 0;
    const clock = { ...systemClock, monotonic: () => passedMs };
    const storage = await openStorage(url, { credential, allowInsecure: true, clock });
    await storage.listTables();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    try {
      await storage.listTables();
      expect(credential.asked).toHaveLength(1);
      vi.setSystemTime(Date.now() - 2 * 86_400_000);
      passedMs = 3_600_000;
      await storage.listTables();
      expect(credential.asked).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test("go over https only", async () => {
    await expect(openStorage("http://127.0.0.1:1", { credential: issuing(1) })).rejects.toMatchObject({
      code: "storage.insecure-token",
    });
  });

  const failing: readonly (readonly [string, TokenCredential["getToken"]])[] = [
    ["gives none", async () => null],
    ["fails", () => Promise.reject(new Error("secret"))],
    [
      "throws",
      (): never => {
        throw new Error("secret");
      },
    ],
    ["gives a header of its own", async () => ({ token: "a\r\nX: 1", expiresOnTimestamp: 0 })],
    ["never answers", () => new Promise<null>(() => undefined)],
  ];
  test.each(failing)("a credential that %s: nothing is sent, and it says so", async (_how, getToken) => {
    const { url, seen } = await tokenService(() => true);
    const storage = await openStorage(url, {
      credential: { getToken },
      allowInsecure: true,
      timeouts: { readMs: 100 },
    });
    const insert = storage.write("Things", { type: "insert", entity: { PartitionKey: "p", RowKey: "r" } });
    await expect(insert).rejects.toMatchObject({ code: "storage.no-token", applied: "no" });
    await expect(insert).rejects.not.toThrow(/secret/);
    expect(seen).toEqual([]);
  });
});

describe("the secondary", () => {
  test("answers every second try of reads that may be stale, and nothing else", async () => {
    const reads: string[] = [];
    const http = createServer((request, response) => {
      reads.push((request.url ?? "").replace(/\?.*/, ""));
      response.writeHead(503).end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const down = `http://127.0.0.1:${(http.address() as AddressInfo).port}/acct`;
    const connection = `AccountName=acct;AccountKey=${server.key};TableEndpoint=${down};TableSecondaryEndpoint=${server.url}-secondary`;
    const both = await openStorage(connection);
    const clock = virtualClock();
    const stale = new TableContext(both, { staleReads: true, clock });
    const fresh = new TableContext(both, { clock });
    expect(await stale.find(Thing, { pk: "p", rk: "a" })).toBeDefined();
    expect(await stale.query(Thing).where({ pk: "p" }).toArray()).toHaveLength(3);
    await expect(fresh.find(Thing, { pk: "p", rk: "a" })).rejects.toMatchObject({ status: 503 });
    const [found] = await stale.query(Thing).where({ pk: "p" }).toArray();
    await expect(stale.reload(found as object)).rejects.toMatchObject({ status: 503 });
    expect(reads.every((path) => path.startsWith("/acct/"))).toBe(true);
    http.close();
  });

  test("has statistics, and takes no writes", async () => {
    const service = await openTableService(server.connectionString);
    expect(await service.getStatistics()).toMatchObject({ status: "live" });
    const secondary = await openStorage(
      server.connectionString.replace(/(TableEndpoint=[^;]+)/, "$1-secondary"),
    );
    expect(await secondary.get("Things", key("a"))).toBeDefined();
    expect(await codeOf(secondary.createTable("New"))).toBe("InsufficientAccountPermissions");
    const without = await openTableService("AccountName=a;AccountKey=a2V5;TableEndpoint=https://a.example");
    expect(await codeOf(without.getStatistics())).toBe("storage.no-secondary");
  });
});

test("service properties are set section by section", async () => {
  const service = await openTableService(server.connectionString);
  const rule = {
    allowedOrigins: ["https://example.org"],
    allowedMethods: ["GET", "PUT"],
    allowedHeaders: ["x-ms-*"],
    exposedHeaders: ["etag"],
    maxAgeSeconds: 60,
  };
  await service.setProperties({ cors: [rule] });
  await service.setProperties({
    logging: { version: "1.0", read: true, write: false, delete: false, retentionDays: 7 },
  });
  expect(await service.getProperties()).toMatchObject({
    cors: [rule],
    logging: { read: true, retentionDays: 7 },
    hourMetrics: { enabled: false },
  });
});
