import { inspect } from "node:util";
import { expect, test } from "vitest";
import { openQueues, type OpenQueuesOptions } from "../src/index.ts";

const key = Buffer.from("a secret key").toString("base64");
const connection = `AccountName=acct;AccountKey=${key}`;

const errorOf = async (target: unknown, options?: unknown): Promise<{ code: string; message: string }> => {
  try {
    await (await openQueues(target as string, options as OpenQueuesOptions)).close();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("It was opened.");
};

test.each([
  [connection, "https://acct.queue.core.windows.net"],
  [`${connection};EndpointSuffix=core.chinacloudapi.cn`, "https://acct.queue.core.chinacloudapi.cn"],
  [
    `${connection};TableEndpoint=https://t/;QueueEndpoint=https://q/;QueueSecondaryEndpoint=https://r/`,
    "https://q",
  ],
  ["UseDevelopmentStorage=true", "http://127.0.0.1:10001/devstoreaccount1"],
  ["https://acct.queue.core.windows.net?sv=2019-02-02&sig=a%3D", "https://acct.queue.core.windows.net"],
  ["QueueEndpoint=https://q/;SharedAccessSignature=sv=2019-02-02&sig=a%3D", "https://q"],
])("opens %s, and describes it without secrets", async (target, description) => {
  await using queues = await openQueues(target);

  expect(queues.description).toBe(description);
  expect(inspect(queues, { depth: 9, showHidden: true })).not.toContain(key);
});

test("the most that a text has depends on its encoding", async () => {
  await using base64 = await openQueues(connection);
  await using text = await openQueues(connection, { messageEncoding: "text" });

  expect([base64.maxTextBytes, text.maxTextBytes]).toEqual([49_152, 65_536]);
});

test.each<[string, unknown, string, RegExp]>([
  ["a variable that is not set", undefined, "storage.unknown-target", /but got undefined.*variable is set/],
  ["an empty text", " ", "storage.unknown-target", /empty text/],
  ["a file", "file:queues.db", "storage.unknown-target", /tableQueues\(await openStorage\(target\)\)/],
  ["memory", "memory:", "storage.unknown-target", /tableQueues/],
  ["words", "queues", "storage.connection-string", /not Name=Value.*QueueEndpoint=…/],
  [
    "a table endpoint",
    "https://acct.table.core.windows.net?sig=a",
    "storage.connection-string",
    /queue endpoint/,
  ],
  [
    "no endpoint",
    "SharedAccessSignature=sig=abc",
    "storage.connection-string",
    /AccountName and QueueEndpoint/,
  ],
  [
    "http",
    `${connection};QueueEndpoint=http://queues.example/`,
    "storage.connection-string",
    /must be https/,
  ],
])("%s is refused with what to pass", async (_what, target, code, message) => {
  const error = await errorOf(target);

  expect(error).toMatchObject({ code });
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain(key);
});

test.each<[string, object, string]>([
  ["an unknown encoding", { messageEncoding: "utf8" }, "storage.option"],
  ["an option of tables", { tablePrefix: "a" }, "storage.option"],
  ["a scheme of tables", { signature: "SharedKeyLite" }, "storage.option"],
  ["a version without endless messages", { protocolVersion: "2016-05-31" }, "storage.option"],
  ["no version", { protocolVersion: "latest" }, "storage.option"],
  ["a time limit of 0", { timeouts: { readMs: 0 } }, "storage.option"],
  ["a key that is not base64", { credential: { accountName: "a", accountKey: "!" } }, "storage.option"],
])("%s is refused, naming the call", async (_what, options, code) => {
  const error = await errorOf(connection, options);

  expect(error).toMatchObject({ code, message: expect.stringMatching(/^openQueues\(target, /) as string });
});

test("a token is not sent in clear", async () => {
  const credential = { getToken: async () => ({ token: "t", expiresOnTimestamp: Date.now() + 60_000 }) };

  expect(await errorOf("http://127.0.0.1:1/acct", { credential })).toMatchObject({
    code: "storage.insecure-token",
  });
});
