import { openStorage, TableContext } from "@partita/core";
import { openTableService } from "@partita/account";
import { describe, expect, test } from "vitest";
import { accountKey, typedError } from "./fake-service.ts";

const account = `AccountName=acct;AccountKey=${accountKey}`;

/** Strings whose endpoint would be somebody else's, or travel in clear. */
const endpoints: readonly string[] = [
  "http://example.org",
  "http://example.org:80/acct",
  "HTTP://EXAMPLE.ORG/",
  "http://acct.table.core.windows.net",
  "http://127.0.0.1.example.org/acct",
  "http://localhost.example.org/acct",
  "http://127.0.0.1@example.org/acct",
  "http://example.org#@127.0.0.1/",
  "http://example.org\\@127.0.0.1/",
  "http://example.org?127.0.0.1",
  "http://0.0.0.0:10002/acct",
  "http://[::]/acct",
  "http://[::ffff:192.0.2.1]/acct",
  "http://169.254.169.254/latest/meta-data",
  "http://192.168.0.1/acct",
  "http://10.0.0.1/acct",
  "http://3232235521/acct",
  "http://0xC0A80001/acct",
  "http://metadata.google.internal/",
  "ws://127.0.0.1/acct",
  "ftp://127.0.0.1/acct",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "//example.org/acct",
  "example.org",
  "https://",
  "https://user@example.org/",
  "https://user:canary@example.org/",
  "https://example.org/?sig=canary",
  "https://example.org/#canary",
  "https://exa mple.org/",
  "https://example.org:99999/",
  "https://[::1",
  " ",
];

describe.each(endpoints)("the endpoint %j", (endpoint) => {
  test.each([
    `${account};TableEndpoint=${endpoint}`,
    `${account};TableEndpoint=https://example.org/;TableSecondaryEndpoint=${endpoint}`,
    `UseDevelopmentStorage=true;DevelopmentStorageProxyUri=${endpoint}`,
    `SharedAccessSignature=sv=2019-02-02&sig=canary%3D;TableEndpoint=${endpoint}`,
  ])("is refused in %j", async (target) => {
    // A proxy of the emulator is a base that a port and a path are put behind: with a query or a hash it is none.
    const isProxyOfOwn = target.startsWith("Use") && /^https:\/\/$/.test(endpoint);
    const error = await typedError(() => openStorage(isProxyOfOwn ? `${target}//` : target));

    expect(error).toMatchObject({ code: "storage.connection-string", applied: "no" });
    expect(error.message).not.toContain("canary");
    expect(error.message).not.toContain(accountKey);
  });
});

test.each([
  "http://127.0.0.1:10002/acct",
  "http://127.1:10002/acct",
  "http://2130706433:10002/acct",
  "http://localhost:10002/acct",
  "http://[::1]:10002/acct",
  "https://acct.table.core.windows.net/",
  "https://192.168.0.1/acct",
])("the endpoint %s is this machine's, or encrypted", async (endpoint) => {
  await using storage = await openStorage(`${account};TableEndpoint=${endpoint}`);

  expect(new TableContext(storage)).toBeInstanceOf(TableContext);
  expect(storage.description).not.toContain(accountKey);
});

test.each<[name: string, target: string]>([
  ["a protocol in clear", `${account};DefaultEndpointsProtocol=http`],
  ["another protocol", `${account};DefaultEndpointsProtocol=ftp`],
  ["a protocol that is an address", `${account};DefaultEndpointsProtocol=http://example.org/?`],
  ["a protocol with user", `${account};DefaultEndpointsProtocol=https://evil@example.org/#`],
  ["a suffix with user", `${account};EndpointSuffix=@example.org`],
  ["a suffix with query", `${account};EndpointSuffix=example.org/?x=`],
  ["a suffix with hash", `${account};EndpointSuffix=example.org/#x`],
  ["a suffix with spaces", `${account};EndpointSuffix=exa mple.org`],
  ["a name with user", `AccountName=evil@example.org/;AccountKey=${accountKey}`],
  ["a name with dots", `AccountName=evil.example.org;AccountKey=${accountKey}`],
  ["a name with line ends", `AccountName=acct\r\nX-Evil: 1;AccountKey=${accountKey}`],
  ["a name with slashes", `AccountName=../acct;AccountKey=${accountKey}`],
  ["a name of 64", `AccountName=${"a".repeat(64)};AccountKey=${accountKey}`],
  ["an empty name", `AccountName=;AccountKey=${accountKey}`],
  ["no name", `AccountKey=${accountKey}`],
  ["no key", "AccountName=acct"],
  ["an empty key", "AccountName=acct;AccountKey="],
  ["a key with line ends", "AccountName=acct;AccountKey=Y2FuYXJ5\r\nX-Evil: 1"],
  ["a key that is not base64", "AccountName=acct;AccountKey=canary!"],
  ["a key twice", `${account};AccountKey=${accountKey}`],
  ["a key twice in other letters", `${account};ACCOUNTKEY=${accountKey}`],
  ["an endpoint twice", `${account};TableEndpoint=https://a/;tableendpoint=https://b/`],
  ["an unknown setting", `${account};Redirect=http://example.org`],
  ["a setting of prototypes", `${account};__proto__=x`],
  ["another setting of prototypes", `${account};constructor=x`],
  ["a proxy", `${account};HttpProxy=http://example.org`],
  ["a setting without name", `${account};=x`],
  ["a setting without value", `${account};nonsense`],
  ["line ends between settings", `${account}\r\nTableEndpoint=http://example.org`],
  ["a signature without sig", "AccountName=acct;SharedAccessSignature=sv=2019-02-02&sp=r"],
  ["a signature with line ends", "AccountName=acct;SharedAccessSignature=sig=canary\r\nX-Evil: 1"],
  ["a signature with spaces", "AccountName=acct;SharedAccessSignature=sig=canary HTTP/1.1"],
  ["a signature with hash", "AccountName=acct;SharedAccessSignature=sig=canary#x"],
  ["an emulator that is told false", "UseDevelopmentStorage=false"],
  ["a URL that says nobody", "https://acct.table.core.windows.net/"],
  ["a URL with an empty signature", "https://acct.table.core.windows.net/?"],
  ["a URL in clear with a signature", "http://acct.table.core.windows.net/?sv=2019-02-02&sig=canary"],
  ["a URL with user", "https://canary@acct.table.core.windows.net/?sig=x"],
])("%s is refused without repeating a value", async (_name, target) => {
  for (const open of [() => openStorage(target), () => openTableService(target)]) {
    const error = await typedError(open);
    expect(error).toMatchObject({ code: "storage.connection-string", applied: "no" });
    expect(error.message).not.toContain("canary");
    expect(error.message).not.toContain(accountKey);
    expect(error.message).not.toContain("evil");
  }
});

test.each([
  "",
  " ",
  "canary",
  "file:",
  "FILE:canary",
  "memory",
  "memory:canary",
  ":memory:",
  "sqlite:canary",
  "postgres://user:canary@host",
  "file://canary.example.org/share/x.db",
  "file://%00",
  "ftp://canary",
  "javascript:canary",
  "../canary",
  `\u0000${account}`,
  ` ${account}`,
])("%j is no target", async (target) => {
  const error = await typedError(() => openStorage(target));

  expect(error.message).not.toContain("canary");
  expect(error.message).not.toContain(accountKey);
});

test.each(["canary\r\nX-Evil: 1", "canary canary", "", "é", "a".repeat(10) + "\0"])(
  "the token %j is not sent",
  async (token) => {
    await using storage = await openStorage("https://127.0.0.1:9/acct", {
      credential: { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 60_000 }) },
    });

    const error = await typedError(() => storage.listTables());
    expect(error).toMatchObject({ code: "storage.no-token", applied: "no" });
    expect(error.message).not.toContain("canary");
  },
);

test("a token is not sent in clear, not even to this machine", async () => {
  const credential = { getToken: async () => ({ token: "canary", expiresOnTimestamp: Date.now() + 60_000 }) };

  expect(await typedError(() => openStorage("http://127.0.0.1:9/acct", { credential }))).toMatchObject({
    code: "storage.insecure-token",
  });
});
