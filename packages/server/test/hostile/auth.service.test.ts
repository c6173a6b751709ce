import { createHmac } from "node:crypto";
import { request } from "node:http";
import { openStorage, type TableStorage } from "@partita/core";
import { sharedKeyText } from "@partita/core/protocol";
import { accountSasText, tableSasText } from "@partita/account/protocol";
import { accountSas, tableSas } from "@partita/account";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTableServer, type TableServer } from "../../src/index.ts";

let server: TableServer;
let storage: TableStorage;
beforeAll(async () => {
  server = await startTableServer();
  storage = await openStorage(server.connectionString);
  for (const table of ["Things", "Others"]) {
    await storage.createTable(table);
    for (const [PartitionKey, RowKey] of [
      ["a", "1"],
      ["b", "1"],
      ["b", "2"],
      ["c", "1"],
    ] as const)
      await storage.write(table, { type: "insert", entity: { PartitionKey, RowKey, secret: "canary" } });
  }
});
afterAll(async () => {
  await storage.close();
  await server.close();
});

interface Sent {
  method: string;
  /** After the account, with its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends exactly these headers. */
function send({ method, path, headers, body }: Sent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: server.port, method, path: `/${server.account}${path}`, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const hmac = (text: string, key = server.key): string =>
  createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");

type Scheme = "SharedKey" | "SharedKeyLite";

/** A request that is signed as it should be. */
function signed(scheme: Scheme, { method = "GET", path = "/Things()", date = new Date() } = {}): Sent {
  const text = sharedKeyText(server.account, scheme, {
    method,
    path: `/${server.account}${path.split("?")[0] ?? ""}`,
    contentType: "",
    date: date.toUTCString(),
  });
  return {
    method,
    path,
    headers: {
      accept: "application/json",
      "x-ms-date": date.toUTCString(),
      "x-ms-version": "2019-02-02",
      authorization: `${scheme} ${server.account}:${hmac(text)}`,
    },
  };
}

const authorization =
  (change: (text: string, sent: Sent) => string) =>
  (sent: Sent): void => {
    sent.headers["authorization"] = change(sent.headers["authorization"] ?? "", sent);
  };
const minutesOff = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
const resign = (
  scheme: Scheme,
  sent: Sent,
  change: Partial<Parameters<typeof sharedKeyText>[2]>,
  key?: string,
): string =>
  `${scheme} ${server.account}:${hmac(
    sharedKeyText(server.account, scheme, {
      method: sent.method,
      path: `/${server.account}${sent.path}`,
      contentType: "",
      date: sent.headers["x-ms-date"] ?? "",
      ...change,
    }),
    key,
  )}`;

/** What somebody without the key could make of a signed request. */
const forgeries: readonly (readonly [name: string, forge: (sent: Sent, scheme: Scheme) => void])[] = [
  ["no authorization", (sent) => delete sent.headers["authorization"]],
  ["an empty authorization", authorization(() => "")],
  ["a scheme alone", authorization((_text) => "SharedKey")],
  ["no signature", authorization((text) => text.replace(/:.*/, ":"))],
  ["no colon", authorization((text) => text.replace(":", ""))],
  [
    "a signature of zeros",
    authorization((text) => text.replace(/:.*/, `:${Buffer.alloc(32).toString("base64")}`)),
  ],
  ["a signature of one byte", authorization((text) => text.replace(/:.*/, ":AA=="))],
  ["a signature cut short", authorization((text) => text.slice(0, -8))],
  [
    "a signature of 31 bytes",
    authorization((text) =>
      text.replace(
        /:(.*)$/,
        (_all, sig: string) => `:${Buffer.from(sig, "base64").subarray(0, 31).toString("base64")}`,
      ),
    ),
  ],
  [
    "a signature with a byte more",
    authorization((text) =>
      text.replace(
        /:(.*)$/,
        (_all, sig: string) =>
          `:${Buffer.concat([Buffer.from(sig, "base64"), Buffer.alloc(1)]).toString("base64")}`,
      ),
    ),
  ],
  [
    "a signature with other last bits",
    authorization((text) =>
      text.replace(/(.)=$/, (_all, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`),
    ),
  ],
  ["a signature with something after its end", authorization((text) => `${text}AAAA`)],
  ["a signature without padding", authorization((text) => text.replace(/=+$/, ""))],
  ["a signature with more padding", authorization((text) => `${text}==`)],
  [
    "a signature in hexadecimal",
    authorization((text) =>
      text.replace(/:(.*)$/, (_all, sig: string) => `:${Buffer.from(sig, "base64").toString("hex")}`),
    ),
  ],
  ["a signature in lower case", authorization((text) => text.replace(/:.*/, (sig) => sig.toLowerCase()))],
  ["a signature twice", authorization((text) => `${text}, ${text}`)],
  ["a list of signatures", authorization((text) => `SharedKey ${server.account}:AAAA, ${text}`)],
  ["the scheme in lower case", authorization((text) => text.toLowerCase().slice(0, 9) + text.slice(9))],
  [
    "the scheme in upper case",
    authorization((text) => text.replace(/^\w+/, (scheme) => scheme.toUpperCase())),
  ],
  ["another scheme", authorization((text) => text.replace(/^\w+/, "Bearer"))],
  [
    "Basic",
    authorization(() => `Basic ${Buffer.from(`${server.account}:${server.key}`).toString("base64")}`),
  ],
  ["the key itself", authorization(() => `SharedKey ${server.account}:${server.key}`)],
  [
    "the other scheme of the two",
    authorization(
      (text, sent) =>
        (text.startsWith("SharedKeyLite")
          ? text.replace("Lite", "")
          : text.replace("SharedKey", "SharedKeyLite")) + (sent.path === "" ? "" : ""),
    ),
  ],
  ["another account", authorization((text) => text.replace(server.account, "other"))],
  [
    "the account in upper case",
    authorization((text) => text.replace(server.account, server.account.toUpperCase())),
  ],
  ["no account", authorization((text) => text.replace(server.account, ""))],
  [
    "the account of the secondary",
    authorization((text) => text.replace(server.account, `${server.account}-secondary`)),
  ],
  ["two spaces", authorization((text) => text.replace(" ", "  "))],
  [
    "the key of an emulator",
    (sent, scheme) =>
      (sent.headers["authorization"] = resign(
        scheme,
        sent,
        {},
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
      )),
  ],
  ["an empty key", (sent, scheme) => (sent.headers["authorization"] = resign(scheme, sent, {}, ""))],
  ["another table", (sent) => (sent.path = "/Others()")],
  ["another table in the list", (sent) => (sent.path = "/Tables")],
  ["another row", (sent) => (sent.path = "/Things(PartitionKey='a',RowKey='1')")],
  ["another spelling of the path", (sent) => (sent.path = "/%54hings()")],
  ["a path in other letters", (sent) => (sent.path = "/things()")],
  ["a parameter that is signed", (sent) => (sent.path += "?comp=acl")],
  ["another date", (sent) => (sent.headers["x-ms-date"] = minutesOff(1).toUTCString())],
  ["no date", (sent) => delete sent.headers["x-ms-date"]],
  ["an empty date", (sent) => (sent.headers["x-ms-date"] = "")],
  [
    "a date that is none",
    (sent, scheme) => {
      sent.headers["x-ms-date"] = "yesterday";
      sent.headers["authorization"] = resign(scheme, sent, {});
    },
  ],
  ...[-1_000_000, -60, -16, 16, 60, 1_000_000].map(
    (minutes) =>
      [
        `a date ${minutes} minutes from now, signed`,
        (sent: Sent, scheme: Scheme) => Object.assign(sent, signed(scheme, { date: minutesOff(minutes) })),
      ] as const,
  ),
];

describe.each(["SharedKey", "SharedKeyLite"] as const)("%s", (scheme) => {
  test("lets in who signs, up to 14 minutes off", async () => {
    for (const minutes of [0, -14, 14])
      expect(await send(signed(scheme, { date: minutesOff(minutes) }))).toMatchObject({ status: 200 });
  });

  test.each(forgeries)("with %s is refused", async (_name, forge) => {
    const sent = signed(scheme);
    forge(sent, scheme);

    const { status, body } = await send(sent);

    expect(status).toBe(403);
    expect(body).not.toContain("canary");
    expect(body).not.toContain(server.key);
  });
});

test.each(["POST", "PUT", "DELETE", "MERGE", "PATCH", "HEAD"])("a signed GET is no %s", async (method) => {
  const sent = signed("SharedKey", { path: "/Things(PartitionKey='a',RowKey='1')" });
  sent.method = method;

  expect((await send(sent)).status).toBe(403);
});

test.each(["content-type", "content-md5"])("a %s that was not signed is refused", async (name) => {
  const sent = signed("SharedKey");
  sent.headers[name] = "application/json";

  expect((await send(sent)).status).toBe(403);
});

const soon = new Date(Date.now() + 600_000);
const past = new Date(Date.now() - 600_000);
const account = (): { accountName: string; accountKey: string } => ({
  accountName: server.account,
  accountKey: server.key,
});

/** A signature over whatever it says. */
function forSas(kind: "table" | "account", parameters: Record<string, string>): URLSearchParams {
  const text = (kind === "table" ? tableSasText : accountSasText)(server.account, parameters);
  return new URLSearchParams({ ...parameters, sig: hmac(text) });
}

const ask = (query: string, path = "/Things()", method = "GET"): Promise<{ status: number; body: string }> =>
  send({ method, path: `${path}?${query}`, headers: { accept: "application/json", "if-match": "*" } });

const edited = (sas: string, edit: (parameters: URLSearchParams) => void): string => {
  const parameters = new URLSearchParams(sas);
  edit(parameters);
  return parameters.toString();
};

test.each<[name: string, edit: (parameters: URLSearchParams) => void]>([
  ["more permissions", (p) => p.set("sp", "raud")],
  ["other permissions", (p) => p.set("sp", "d")],
  ["no permissions", (p) => p.delete("sp")],
  ["a later end", (p) => p.set("se", "2999-01-01T00:00:00Z")],
  ["no end", (p) => p.delete("se")],
  ["another table", (p) => p.set("tn", "Others")],
  ["no table", (p) => p.delete("tn")],
  ["a wider first partition", (p) => p.set("spk", "a")],
  ["no first partition", (p) => p.delete("spk")],
  ["a wider first row", (p) => p.set("srk", "")],
  ["no first row", (p) => p.delete("srk")],
  ["a wider last partition", (p) => p.set("epk", "z")],
  ["no last partition", (p) => p.delete("epk")],
  ["no last row", (p) => p.delete("erk")],
  ["another version", (p) => p.set("sv", "2020-12-06")],
  ["an old version", (p) => p.set("sv", "2012-02-12")],
  ["no version", (p) => p.delete("sv")],
  ["another protocol", (p) => p.set("spr", "http")],
  ["no protocol", (p) => p.delete("spr")],
  ["an address", (p) => p.set("sip", "0.0.0.0-255.255.255.255")],
  ["a policy", (p) => p.set("si", "read")],
  ["a start", (p) => p.set("st", "2000-01-01T00:00:00Z")],
  ["the fields of an account", (p) => (p.set("ss", "t"), p.set("srt", "sco"), p.delete("tn"))],
  ["no signature", (p) => p.delete("sig")],
  ["an empty signature", (p) => p.set("sig", "")],
  ["a signature of zeros", (p) => p.set("sig", Buffer.alloc(32).toString("base64"))],
  ["a signature cut short", (p) => p.set("sig", (p.get("sig") ?? "").slice(0, 20))],
  ["a signature with something after its end", (p) => p.set("sig", `${p.get("sig") ?? ""}AAAA`)],
  ["a signature of another alphabet", (p) => p.set("sig", `${(p.get("sig") ?? "").replaceAll("=", "")}-_`)],
  ["a signature with spaces", (p) => p.set("sig", ` ${p.get("sig") ?? ""} `)],
  ["a signature in lower case", (p) => p.set("sig", (p.get("sig") ?? "").toLowerCase())],
  ["line ends that move fields", (p) => (p.set("sp", "r\n"), p.delete("st"))],
  ["fields in one", (p) => (p.set("spk", `${p.get("spk") ?? ""}\n${p.get("srk") ?? ""}`), p.delete("srk"))],
])("a table's signature with %s is refused", async (_name, edit) => {
  const sas = tableSas(account(), {
    table: "Things",
    permissions: "r",
    expiresAt: soon,
    protocol: "https,http",
    startPartitionKey: "b",
    startRowKey: "2",
    endPartitionKey: "b",
    endRowKey: "2",
  });
  const untouched = await ask(sas);
  expect(untouched.status).toBe(200);
  expect(JSON.parse(untouched.body)).toMatchObject({ value: [{ PartitionKey: "b", RowKey: "2" }] });

  const { status, body } = await ask(edited(sas, edit));

  expect(status).toBe(403);
  expect(body).not.toContain("canary");
});

test.each<[name: string, kind: "table" | "account", parameters: Record<string, string>]>([
  ["an end that has passed", "table", { sp: "r", se: past.toISOString(), tn: "Things" }],
  ["no end", "table", { sp: "r", tn: "Things" }],
  ["an end that is no date", "table", { sp: "r", se: "never", tn: "Things" }],
  [
    "a start that is to come",
    "table",
    { sp: "r", st: soon.toISOString(), se: "2999-01-01T00:00:00Z", tn: "Things" },
  ],
  ["a start that is no date", "table", { sp: "r", st: "always", se: soon.toISOString(), tn: "Things" }],
  ["https only", "table", { sp: "r", se: soon.toISOString(), tn: "Things", spr: "https" }],
  ["another address", "table", { sp: "r", se: soon.toISOString(), tn: "Things", sip: "192.0.2.1" }],
  ["an address that is none", "table", { sp: "r", se: soon.toISOString(), tn: "Things", sip: "localhost" }],
  [
    "addresses the other way round",
    "table",
    { sp: "r", se: soon.toISOString(), tn: "Things", sip: "127.0.0.9-127.0.0.0" },
  ],
  ["another table", "table", { sp: "r", se: soon.toISOString(), tn: "Others" }],
  ["no permission", "table", { sp: "", se: soon.toISOString(), tn: "Things" }],
  ["a policy that is not there", "table", { si: "none", tn: "Things" }],
  ["a row without its partition", "table", { sp: "r", se: soon.toISOString(), tn: "Things", srk: "1" }],
  ["another service", "account", { sp: "r", ss: "b", srt: "sco", se: soon.toISOString() }],
  ["no service", "account", { sp: "r", srt: "sco", se: soon.toISOString() }],
  ["other resources", "account", { sp: "r", ss: "t", srt: "s", se: soon.toISOString() }],
  ["no resources", "account", { sp: "r", ss: "t", se: soon.toISOString() }],
  ["other permissions", "account", { sp: "waud", ss: "t", srt: "sco", se: soon.toISOString() }],
  ["an account's end that has passed", "account", { sp: "r", ss: "t", srt: "sco", se: past.toISOString() }],
  ["an unknown version", "account", { sp: "r", ss: "t", srt: "sco", se: soon.toISOString(), sv: "latest" }],
])("a signature that was made right for %s does not read", async (_name, kind, parameters) => {
  const { status, body } = await ask(forSas(kind, { sv: "2019-02-02", ...parameters }).toString());

  expect(status).toBe(403);
  expect(body).not.toContain("canary");
});

test.each<[name: string, method: string, path: string, permissions: string]>([
  ["reading a row outside of the range", "GET", "/Things(PartitionKey='a',RowKey='1')", "r"],
  ["reading a row before the first", "GET", "/Things(PartitionKey='b',RowKey='1')", "r"],
  ["deleting without the permission", "DELETE", "/Things(PartitionKey='b',RowKey='2')", "r"],
  ["deleting outside of the range", "DELETE", "/Things(PartitionKey='c',RowKey='1')", "raud"],
  ["the list of tables", "GET", "/Tables", "raud"],
  ["dropping its table", "DELETE", "/Tables('Things')", "raud"],
  ["its policies", "GET", "/Things?comp=acl&", "raud"],
  ["service properties", "GET", "/?restype=service&comp=properties&", "raud"],
  ["the secondary's statistics", "GET", "-secondary/?restype=service&comp=stats&", "raud"],
])("a table's signature does not reach to %s", async (_name, method, path, permissions) => {
  const sas = tableSas(account(), {
    table: "Things",
    permissions,
    expiresAt: soon,
    protocol: "https,http",
    startPartitionKey: "b",
    startRowKey: "2",
    endPartitionKey: "b",
    endRowKey: "2",
  });
  const separator = path.includes("?") ? "" : "?";

  const { status, body } = await send({
    method,
    path: `${path}${separator}${sas}`,
    headers: { accept: "application/json", "if-match": "*" },
  });

  expect(status).toBe(403);
  expect(body).not.toContain("canary");
  expect((await storage.query("Things", {})).entities).toHaveLength(4);
});

test("a parameter twice, one of them signed, is refused", async () => {
  const sas = accountSas(account(), { permissions: "r", expiresAt: soon, protocol: "https,http" });

  for (const name of ["sp", "se", "sig", "srt"]) {
    const { status, body } = await ask(`${sas}&${name}=rwdlacu`);
    expect(status).toBe(400);
    expect(body).not.toContain("canary");
  }
});
