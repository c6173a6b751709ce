import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { openStorage } from "@partita/core";
import { tableSas } from "@partita/account";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";
import { withFaults } from "@partita/testing";
import { certificate } from "@partita/test-support/certificate";
import { fullSas } from "../ask.ts";

/** The status and body that a request under this name is answered with. */
async function asUnder(server: TableServer, host: string): Promise<readonly [status: number, body: string]> {
  const isTls = server.url.startsWith("https:");
  const path = `/${server.account}/Tables?${fullSas(server)}`;
  const options = {
    host: "127.0.0.1",
    port: server.port,
    path,
    headers: { host, accept: "application/json" },
  };
  const asked = isTls
    ? httpsRequest({ ...options, ca: certificate.cert, servername: "localhost" })
    : httpRequest(options);
  const [response] = (await once(asked.end(), "response")) as [IncomingMessage];
  const body = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return [response.statusCode ?? 0, body];
}

describe("a host that other machines reach", () => {
  test.each(["0.0.0.0", "::", "192.0.2.1", "tables.example"])(
    "%s is refused without TLS, in words",
    async (host) => {
      await expect(startTableServer({ host })).rejects.toThrow(
        new RegExp(`host: "${host.replaceAll(".", "\\.")}".*Add tls.*127\\.0\\.0\\.1.*allowHttp`),
      );
    },
  );

  test("is served over http for who says so, under every name", async () => {
    await using server = await startTableServer({ host: "0.0.0.0", allowHttp: true });

    expect(server.url).toBe(`http://127.0.0.1:${server.port}/${server.account}`);
    expect((await asUnder(server, "tables:10002"))[0]).toBe(200);
    expect((await asUnder(server, "10.1.2.3"))[0]).toBe(200);
    expect((await asUnder(server, "tables@evil.example"))[0]).toBe(400);
    await using storage = await openStorage(server.connectionString);
    expect(await storage.listTables()).toEqual([]);
  });

  test.each(["", " ", "a b", "http://127.0.0.1", "127.0.0.1:80", "-", 7])("%j is none", async (host) => {
    await expect(startTableServer({ host: host as string, allowHttp: true })).rejects.toThrow(
      /host }\) takes/,
    );
  });
});

test("a server for this machine answers to names of this machine only", async () => {
  await using server = await startTableServer({ host: "localhost" });

  expect(new URL(server.url).hostname).toBe("localhost");
  expect(await asUnderLocalhost(server, "localhost")).toBe(200);
  expect(await asUnderLocalhost(server, "tables")).toBe(400);
});

async function asUnderLocalhost(server: TableServer, host: string): Promise<number> {
  const path = `/${server.account}/Tables?${fullSas(server)}`;
  const asked = httpRequest({
    host: "localhost",
    port: server.port,
    path,
    headers: { host, accept: "application/json" },
  }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe("a server with a certificate", () => {
  let server: TableServer;
  const trusted = getCACertificates("default");
  beforeAll(async () => {
    setDefaultCACertificates([...trusted, certificate.cert]);
    server = await startTableServer({ host: "0.0.0.0", tls: certificate });
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await server.close();
  });

  test("serves our own client over https, and links back to https", async () => {
    expect(server.url).toBe(`https://localhost:${server.port}/${server.account}`);
    expect(server.connectionString).toContain("DefaultEndpointsProtocol=https;");
    await using storage = await openStorage(server.connectionString);
    await storage.createTable("Things");
    await storage.transact("Things", [{ type: "insert", entity: { PartitionKey: "p", RowKey: "r" } }]);

    expect(await storage.get("Things", { partitionKey: "p", rowKey: "r" })).toBeDefined();
    const [, body] = await asUnder(server, "tables.example");
    expect(body).toContain("https://tables.example/");
  });

  test("takes signatures that are for https only", async () => {
    const shared = { accountName: server.account, accountKey: server.key };
    const expiresAt = new Date(Date.now() + 600_000);
    const sas = tableSas(shared, { table: "Things", permissions: "r", expiresAt, protocol: "https" });
    await using storage = await openStorage(`${server.url}?${sas}`);

    expect((await storage.query("Things", {})).entities).toHaveLength(1);
  });

  test("lets requests fail over their sockets", async () => {
    await using storage = await openStorage(server.connectionString);
    for (const kind of ["reset", "unsent", "truncated", "garbage"] as const) {
      withFaults(server, () => kind);
      await expect(storage.listTables()).rejects.toMatchObject({ code: /^storage\./ });
    }
    withFaults(server, () => undefined);

    expect(await storage.listTables()).toEqual(["Things"]);
  });

  test("closes while a client has not shaken hands yet", async () => {
    const silent = await startTableServer({ tls: certificate });
    const socket = connect(silent.port, "127.0.0.1");
    await once(socket, "connect");
    // Answered after it: the server has taken the first connection.
    expect((await asUnder(silent, "localhost"))[0]).toBe(200);
    const closed = once(socket, "close");

    await silent.close();

    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test.each([
    ["no PEM", { cert: "x", key: certificate.key }],
    ["no key", { cert: certificate.cert, key: "canary" }],
    ["nothing", { cert: "", key: "" }],
  ])("is not started with %s", async (_what, tls) => {
    const start = startTableServer({ tls });

    await expect(start).rejects.toThrow(
      /startTableServer\(\{ tls \}\) needs a certificate and its private key/,
    );
    await expect(start).rejects.not.toThrow(/canary/);
  });
});
