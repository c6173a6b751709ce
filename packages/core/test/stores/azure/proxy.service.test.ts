import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { certificate } from "@partita/test-support/certificate";
import { startPageBlobServer, startQueueServer, startTableServer } from "@partita/server";
import { Agent, ProxyAgent } from "undici";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isException } from "../../../src/stores/azure/http/choose-proxy.ts";
import { openPageBlob } from "@partita/page-blobs";
import { type OpenOptions, openStorage, type StorageError, type TableStorage } from "../../../src/index.ts";
import { openQueues } from "@partita/queues";

const password = "canary-password";
const variables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];
afterEach(() => vi.unstubAllEnvs());

/** Sets the variables of proxies, and no others that the machine has. */
function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const name of variables) vi.stubEnv(name, values[name] ?? "");
}

interface TestProxy {
  readonly port: number;
  /** Hosts that tunnels were asked for. */
  readonly hosts: readonly string[];
}

/** A proxy that wants a password, and leads every tunnel to one port of this machine. */
async function startProxy(targetPort: number): Promise<TestProxy> {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  const expected = `Basic ${Buffer.from(`ada:${password}`).toString("base64")}`;
  server.on("connect", ({ url = "", headers }: IncomingMessage, socket: Socket, head: Buffer) => {
    sockets.add(socket.on("error", () => undefined));
    if (headers["proxy-authorization"] !== expected)
      return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    hosts.push(url);
    const target = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    sockets.add(target.on("error", () => undefined));
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, hosts };
}

/** A service of one table, which is known by a name that only a proxy knows. */
async function startService(): Promise<{ readonly port: number; readonly target: string }> {
  const server = createServer((_request, response) => response.end('{"value":[{"TableName":"Blogs"}]}'));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const target = "AccountName=acct;AccountKey=a2V5;TableEndpoint=http://tables.example";
  return { port: (server.address() as AddressInfo).port, target };
}

async function errorOf(storage: TableStorage): Promise<StorageError> {
  return storage.createTable("Blogs").then(
    () => expect.unreachable("The request succeeded."),
    (error: StorageError) => error,
  );
}

describe.each(["undici", "http"] as const)("over %s", (transport) => {
  test("requests go through the proxy of the environment, with its password", async () => {
    const { port, target } = await startService();
    const proxy = await startProxy(port);
    setEnvironment({ HTTP_PROXY: `http://ada:${password}@127.0.0.1:${proxy.port}` });
    await using storage = await openStorage(target, { allowInsecure: true, transport });

    expect(await storage.listTables()).toEqual(["Blogs"]);
    expect([...new Set(proxy.hosts)]).toEqual(["tables.example:80"]);

    await using direct = await openStorage(target, { allowInsecure: true, transport, proxy: false });
    expect(await errorOf(direct)).toMatchObject({ code: "storage.unreachable", applied: "no" });
    vi.stubEnv("NO_PROXY", "example.org,.example");
    await using excepted = await openStorage(target, { allowInsecure: true, transport });
    expect((await errorOf(excepted)).message).toMatch(/^The table service at tables\.example:80 .*host name/);
  });

  test.each([
    [
      "a wrong password",
      (port: number) => `http://ada:${password}2@127.0.0.1:${port}`,
      /\(407\)\. Check the proxy at 127\.0\.0\.1:\d+ \(the option proxy\), its/,
    ],
    [
      "a proxy that is not there",
      () => `http://ada:${password}@127.0.0.1:9`,
      /\(ECONNREFUSED\)\. Check the proxy at 127\.0\.0\.1:9 /,
    ],
  ])("%s is reported without the password, and nothing was written", async (_what, urlOf, message) => {
    await using server = await startTableServer();
    const { port } = await startProxy(server.port);
    await using storage = await openStorage(server.connectionString, { proxy: urlOf(port), transport });
    const error = await errorOf(storage);

    expect(error).toMatchObject({ code: "storage.unreachable", applied: "no" });
    expect(error.message).toMatch(message);
    expect(inspect(error, { depth: 9, showHidden: true }) + inspect(storage, { depth: 9 })).not.toMatch(
      /canary|YWRhOmNhbmFy/,
    );
  });

  test("queues and page blobs go through a proxy, too", async () => {
    await using queueServer = await startQueueServer();
    await using blobServer = await startPageBlobServer();
    const toQueues = await startProxy(queueServer.port);
    const toBlobs = await startProxy(blobServer.port);
    const urlOf = ({ port }: TestProxy): string => `http://ada:${password}@127.0.0.1:${port}`;
    await using queues = await openQueues(queueServer.connectionString, {
      proxy: urlOf(toQueues),
      transport,
    });
    await queues.createQueue("orders");
    blobServer.putPageBlob("vhds/disk.vhd", { size: 1024, ranges: [{ start: 0, end: 511 }] });
    const blobOptions = { proxy: urlOf(toBlobs), transport, blob: "vhds/disk.vhd" };
    await using blob = await openPageBlob(blobServer.connectionString, blobOptions);

    const ranges: object[] = [];
    for await (const range of blob.pageRanges()) ranges.push(range);

    expect(ranges).toEqual([{ start: 0, end: 511 }]);
    expect([toQueues.hosts, toBlobs.hosts]).toEqual([
      [`127.0.0.1:${queueServer.port}`],
      [`127.0.0.1:${blobServer.port}`],
    ]);
  });

  test("requests to an https endpoint, whose TLS is checked behind the proxy, share its tunnels", async () => {
    const connections = new Set<Socket>();
    const server = createTlsServer(certificate, (request, response) => {
      connections.add(request.socket);
      response.end('{"value":[{"TableName":"Blogs"}]}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const proxy = await startProxy((server.address() as AddressInfo).port);
    const options = { proxy: `http://ada:${password}@127.0.0.1:${proxy.port}`, transport };
    const account = "AccountName=acct;AccountKey=a2V5;TableEndpoint=https://";
    await using distrusting = await openStorage(`${account}localhost`, options);

    expect(await errorOf(distrusting)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: /DEPTH_ZERO_SELF_SIGNED_CERT/,
    });

    const usual = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(usual));
    setDefaultCACertificates([...usual, certificate.cert]);
    await using trusting = await openStorage(`${account}localhost`, options);
    await using misnamed = await openStorage(`${account}tables.example`, options);
    for (let i = 0; i < 10; i++) expect(await trusting.listTables()).toEqual(["Blogs"]);

    expect(connections.size).toBeLessThanOrEqual(2);
    expect(new Set(proxy.hosts)).toEqual(new Set(["localhost:443"]));
    expect(await errorOf(misnamed)).toMatchObject({
      code: "storage.unreachable",
      applied: "no",
      message: /ERR_TLS_CERT_ALTNAME_INVALID/,
    });
  });

  test.each<[string, (socket: Socket) => void]>([
    ["says nothing", () => undefined],
    ["hangs up", (socket) => void socket.destroy()],
    ["is none", (socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n")],
  ])("nothing was written through a proxy that %s", async (_what, meet) => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket.on("error", () => undefined));
      socket.once("data", () => meet(socket));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    await using storage = await openStorage(
      "AccountName=acct;AccountKey=a2V5;TableEndpoint=https://tables.example",
      {
        proxy: `http://127.0.0.1:${port}`,
        transport,
        timeouts: { connectMs: 200, writeMs: 400 },
      },
    );

    expect(await errorOf(storage)).toMatchObject({
      code: /^storage\.(?:unreachable|timeout)$/,
      applied: "no",
    });
  });
});

test("an emulator on this machine is not asked through the proxy of the environment", async () => {
  await using server = await startTableServer();
  setEnvironment({ HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" });
  await using storage = await openStorage(server.connectionString);

  expect(await storage.listTables()).toEqual([]);
});

test("a variable that holds no URL is reported by its name", async () => {
  setEnvironment({ https_proxy: `ada:${password}@proxy:8080` });
  const opened = openStorage("https://acct.table.core.windows.net?sig=x");

  await expect(opened).rejects.toThrow(/^The value of https_proxy is not a proxy URL/);
  await expect(opened).rejects.not.toThrow(/canary/);
});

test("a dispatcher sends the requests, through TLS and a proxy, and stays open", async () => {
  await using server = await startTableServer({ tls: certificate });
  const proxy = await startProxy(server.port);
  const uri = `http://ada:${password}@127.0.0.1:${proxy.port}`;
  const dispatcher = new ProxyAgent({ uri, requestTls: { ca: certificate.cert } });
  const storage = await openStorage(server.connectionString, { dispatcher });
  await storage.createTable("Blogs");
  await storage.close();
  await using again = await openStorage(server.connectionString, { dispatcher });

  expect(await again.listTables()).toEqual(["Blogs"]);
  expect(proxy.hosts).not.toEqual([]);
  await dispatcher.close();
});

test("each request says who sends it", async () => {
  const agents: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    agents.push(headers["user-agent"]);
    response.writeHead(503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const account = `AccountName=acct;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:${port}/acct`;
  const queueAccount = account.replace("Table", "Queue");
  await using storage = await openStorage(account, { applicationId: "shop/1.2" });
  await storage.createTable("Blogs").catch(() => undefined);
  await using queues = await openQueues(queueAccount);
  await queues.createQueue("orders").catch(() => undefined);

  const own = `partita/source node/${process.versions.node}`;
  expect(agents).toEqual([`shop/1.2 ${own}`, own]);
});

test("a proxy beside a dispatcher is refused, without its password", async () => {
  const account = "AccountName=acct;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:9/acct";
  const dispatcher = new Agent();
  const opened = openStorage(account, { dispatcher, proxy: `http://ada:${password}@127.0.0.1:9` });

  await expect(opened).rejects.toMatchObject({ code: "storage.proxy" });
  await expect(opened).rejects.not.toThrow(/canary/);
  await (await openStorage(account, { dispatcher, proxy: false })).close();
});

test.each<[OpenOptions]>([
  [{ proxy: "" }],
  [{ proxy: true as never }],
  [{ applicationId: "shop\r\nHost: x" }],
  [{ applicationId: "" }],
  [{ dispatcher: {} as never }],
  [{ transport: "fetch" as never }],
  [{ transport: "http", dispatcher: new Agent() }],
])("case %#: wrong options are refused", async (options) => {
  const account = "AccountName=acct;AccountKey=a2V5;TableEndpoint=http://127.0.0.1:9/acct";

  await expect(openStorage(account, options)).rejects.toMatchObject({ code: "storage.option" });
  await expect(openQueues(account.replace("Table", "Queue"), options as never)).rejects.toMatchObject({
    code: "storage.option",
  });
});

test.each<[string, string, boolean]>([
  ["", "tables.example", false],
  ["*", "tables.example", true],
  ["tables.example", "Tables.Example.", true],
  ["other.example, .example", "tables.example", true],
  ["other.example tables.example.", "tables.example", true],
  ["example", "tables.example", true],
  ["ample", "tables.example", false],
  ["*.example", "tables.example", true],
  ["*.tables.example", "tables.example", false],
  ["tables.example:443", "tables.example", true],
  ["tables.example:80,*:80", "tables.example", false],
  ["::1", "[::1]", true],
  ["[::1]:443", "[::1]", true],
  ["[::1]:80", "[::1]", false],
])("NO_PROXY %j and the host %s at port 443: %s", (list, host, isListed) => {
  expect(isException(list, host, "443")).toBe(isListed);
});
