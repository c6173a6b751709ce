import { expect, test } from "vitest";
import { parseConnectionString } from "../../../src/adapters/rest/connection-string.ts";

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
])("reads %s", (text, endpoint) => {
  expect(parseConnectionString(text).endpoint.href).toBe(endpoint);
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
  [`AccountName=acct;AccountName=other;AccountKey=${key}`, /AccountName stands there twice/],
  [
    "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://evil",
    /DevelopmentStorageProxyUri is not a setting/,
  ],
  [`AccountName=acct;AccountKey=${key};nonsense`, /not Name=Value/],
])("refuses %s without repeating a value", (text, message) => {
  let error: Error | undefined;
  try {
    parseConnectionString(text);
  } catch (caught) {
    error = caught as Error;
  }
  expect(error).toMatchObject({ code: "storage.connection-string" });
  expect(error?.message).toMatch(message);
  expect(error?.message).not.toContain(key);
  expect(error?.message).not.toContain("secret");
});
