import { expect, test } from "vitest";
import { readAccount } from "../../../src/stores/azure/credentials/connection-string.ts";
import { queueService } from "../../../src/stores/azure/service.ts";

const key = Buffer.from("key").toString("base64");

test.each([
  [
    `DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${key};EndpointSuffix=core.windows.net`,
    "https://acct.table.core.windows.net/",
  ],
  [`AccountName=acct;AccountKey=${key}`, "https://acct.table.core.windows.net/"],
  [
    `accountname=acct;accountkey=${key};endpointsuffix=core.usgovcloudapi.net;`,
    "https://acct.table.core.usgovcloudapi.net/",
  ],
  [
    `AccountName=acct;AccountKey=${key};TableEndpoint=https://acct.table.cosmos.azure.com:443/;`,
    "https://acct.table.cosmos.azure.com/",
  ],
  [
    `DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${key};BlobEndpoint=https://x;TableEndpoint=https://y/`,
    "https://y/",
  ],
  [
    `DefaultEndpointsProtocol=http;AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1:10002/acct`,
    "http://127.0.0.1:10002/acct",
  ],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=http://localhost:1/acct`, "http://localhost:1/acct"],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=http://[::1]:1/acct`, "http://[::1]:1/acct"],
  ["UseDevelopmentStorage=true", "http://127.0.0.1:10002/devstoreaccount1"],
  [
    "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://127.0.0.1",
    "http://127.0.0.1:10002/devstoreaccount1",
  ],
  ["SharedAccessSignature=sv=2019-02-02&sig=a%3D;AccountName=acct", "https://acct.table.core.windows.net/"],
  ["SharedAccessSignature=?sv=2019-02-02&sig=a%3D;TableEndpoint=https://y/", "https://y/"],
  ["https://acct.table.core.windows.net?sv=2019-02-02&sig=a%3D", "https://acct.table.core.windows.net/"],
  [
    "https://acct.table.core.windows.net/MyTable?sv=2019-02-02&tn=MyTable&sig=a%3D",
    "https://acct.table.core.windows.net/",
  ],
  [
    "https://acct.table.core.windows.net/mytable()/?sv=2019-02-02&sig=a%3D&tn=MyTable",
    "https://acct.table.core.windows.net/",
  ],
  [
    "http://127.0.0.1:10002/devstoreaccount1/MyTable?sv=2019-02-02&tn=mytable&sig=a%3D",
    "http://127.0.0.1:10002/devstoreaccount1",
  ],
])("reads %s", (text, endpoint) => {
  expect(readAccount(text).endpoint.href).toBe(endpoint);
});

test.each([
  ["AccountName=acct", /AccountKey/],
  [`AccountKey=${key}`, /AccountName/],
  [`AccountName=a/b;AccountKey=${key}`, /AccountName/],
  ["AccountName=acct;AccountKey=not base64!", /AccountKey/],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=http://example.org/`, /must be https/],
  [`DefaultEndpointsProtocol=http;AccountName=acct;AccountKey=${key}`, /must be https/],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1.example.org/`, /must be https/],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=https://user:secret@host/`, /plain URL/],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=ftp://host/`, /must be https/],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=nonsense`, /not a URL/],
  [`AccountName=acct;AccountName=other;AccountKey=${key}`, /AccountName occurs twice/],
  ["UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://evil", /must be https/],
  ["UseDevelopmentStorage=true;DevelopmentStorageProxyUri=file:///etc", /must be https|not a URL/],
  [
    "UseDevelopmentStorage=true;Redirect=http://evil",
    /part 2 \(separated by semicolons\) has an unknown name/,
  ],
  ["SharedAccessSignature=sv=2019&sp=r;AccountName=acct", /no sig/],
  ["SharedAccessSignature=sig=a\r\nX-Evil: 1;AccountName=acct", /not a query string/],
  ["SharedAccessSignature=sig=abc", /AccountName and TableEndpoint/],
  ["https://acct.table.core.windows.net/", /a URL alone has no credential/],
  ["https://acct.table.core.windows.net/?sv=2019", /no sig/],
  [
    "https://acct.table.core.windows.net/MyTable?sig=abc",
    /use https:\/\/acct\.table\.core\.windows\.net with/,
  ],
  ["https://acct.table.core.windows.net/Other?tn=MyTable&sig=abc", /must not have a path/],
  [
    `AccountName=acct;AccountKey=${key};TableEndpoint=https://acct.table.core.windows.net/MyTable`,
    /must not have a path/,
  ],
  ["http://acct.table.core.windows.net/?sig=abc", /must be https/],
  [`AccountName=acct;AccountKey=${key};nonsense`, /not Name=Value/],
])("refuses %s without repeating a value", (text, message) => {
  let error: Error | undefined;
  try {
    readAccount(text);
  } catch (caught) {
    error = caught as Error;
  }
  expect(error).toMatchObject({ code: "storage.connection-string" });
  expect(error?.message).toMatch(message);
  expect(error?.message).not.toContain(key);
  expect(error?.message).not.toContain("secret");
});

test.each([
  [`AccountName=acct;AccountKye=${key}`, /Did you mean AccountKey\?/],
  [`AcountName=acct;AccountKey=${key}`, /Did you mean AccountName\?/],
  [`AccountName=acct;AccountKey=${key};TableEndpont=https://y/`, /part 3 .*Did you mean TableEndpoint\?/],
])("names the setting that a misspelt one in %s is meant as", (text, message) => {
  expect(() => readAccount(text)).toThrow(message);
});

const longKey = Buffer.from("a key that is longer").toString("base64");
test.each([
  ["a key without its name", `AccountName=acct;${longKey}`],
  ["a key that is cut in two", `AccountName=acct;AccountKey=${longKey.slice(0, 8)};${longKey.slice(8)}`],
])("repeats no piece of %s", (_what, text) => {
  let message = "";
  try {
    readAccount(text);
  } catch (error) {
    ({ message } = error as Error);
  }

  expect(message).toMatch(/part [23] \(separated by semicolons\)/);
  for (const piece of [longKey.slice(0, 8), longKey.slice(8, 16)]) expect(message).not.toContain(piece);
});

test.each([
  ["http://127.0.0.1:10002", { accountName: "acct", accountKey: key }],
  ["http://localhost:10200/", { accountName: "devstoreaccount1", accountKey: key }],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=http://127.0.0.1:10002`, undefined],
])("asks for the account's name in the path of the emulator's endpoint %s", (target, credential) => {
  expect(() => readAccount(target, { ...(credential && { credential }) })).toThrow(
    /ends with the account's name, such as http:\/\/127\.0\.0\.1:10002\/devstoreaccount1/,
  );
});

test("takes an endpoint on this machine that has no accounts in its path, such as the Cosmos emulator's", () => {
  const text = `AccountName=localhost;AccountKey=${key};TableEndpoint=http://localhost:8902/`;

  expect(readAccount(text).endpoint.href).toBe("http://localhost:8902/");
});

test.each([
  ["http://127.0.0.1:10002/devstoreaccount1", /for an emulator write UseDevelopmentStorage=true/],
  ["https://acct.blob.core.windows.net?sig=a", /belongs to another service of the account/],
  ["UseDevelopmentStorage=yes", /UseDevelopmentStorage must be true or false/],
  ["AccountName=acct;AccountKey=", /AccountKey has no value/],
  ["AccountName=acct;AccountKey=not base64!", /AccountKey is not base64: copy the complete key/],
  ["http://azurite:10002/devstoreaccount1?sig=a", /allowInsecure: true/],
])("says what to write instead of %s", (text, message) => {
  expect(() => readAccount(text)).toThrow(message);
});

test.each([
  [`AccountName=acct;AccountKey=${key}`, "https://acct-secondary.table.core.windows.net/"],
  [
    `AccountName=acct;AccountKey=${key};TableEndpoint=https://a/;TableSecondaryEndpoint=https://b/`,
    "https://b/",
  ],
  ["UseDevelopmentStorage=true", "http://127.0.0.1:10002/devstoreaccount1-secondary"],
  [`AccountName=acct;AccountKey=${key};TableEndpoint=https://a.example/`, undefined],
])("finds the secondary endpoint of %s", (text, secondary) => {
  expect(readAccount(text).secondary?.href).toBe(secondary);
});

test.each([
  [`AccountName=acct;AccountKey=${key}`, "https://acct-secondary.queue.core.windows.net/"],
  [
    `AccountName=acct;AccountKey=${key};QueueEndpoint=https://a/;QueueSecondaryEndpoint=https://b/;TableSecondaryEndpoint=https://c/`,
    "https://b/",
  ],
  ["UseDevelopmentStorage=true", "http://127.0.0.1:10001/devstoreaccount1-secondary"],
])("finds the secondary endpoint of queues of %s", (text, secondary) => {
  expect(readAccount(text, {}, queueService).secondary?.href).toBe(secondary);
});

test("takes another credential than the target's own", () => {
  const credential = { sas: "sig=other" };

  expect(readAccount("https://acct.table.core.windows.net", { credential }).credential).toBe(credential);
  expect(readAccount(`AccountName=acct;AccountKey=${key}`, { credential }).credential).toBe(credential);
});
