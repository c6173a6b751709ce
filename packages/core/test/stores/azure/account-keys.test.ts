import { describe, expect, test } from "vitest";
import { openPageBlob } from "@partita/page-blobs";
import { openStorage } from "../../../src/index.ts";
import { openQueues, queueSas } from "@partita/queues";
import { accountSas, openTableService, tableSas } from "@partita/account";

const good = Buffer.from("a key of the account, made up!").toString("base64");
const developmentKey =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** What is no key: its name here, and its text, which no message may repeat. */
const bad: readonly (readonly [name: string, key: string])[] = [
  ["a word", "bar"],
  ["nothing", ""],
  ["spaces", "   "],
  ["spaces within", `${good.slice(0, 8)} ${good.slice(8)}`],
  ["a key without its end", good.slice(0, -1)],
  ["a key without its beginning", good.slice(3)],
  ["a key and a half", good + good.slice(0, 6)],
  ["one = too many", `${good}=`],
  ["a key of the URL-safe alphabet", "ab-_ab-_"],
  ["a URL-encoded key", encodeURIComponent(developmentKey)],
  ["a key in quotation marks", `"${good}"`],
  ["two lines", `${good}\n${good}`],
];

const from = new Date("2026-01-01T00:00:00Z");
/** Every way in which a key comes in. */
const doors: Readonly<Record<string, (key: string) => unknown>> = {
  "openStorage(connection string)": (accountKey) => openStorage(`AccountName=foo;AccountKey=${accountKey}`),
  "openStorage(credential)": (accountKey) =>
    openStorage("https://foo.table.core.windows.net", { credential: { accountName: "foo", accountKey } }),
  "openStorage(second key)": (secondAccountKey) =>
    openStorage("https://foo.table.core.windows.net", {
      credential: { accountName: "foo", accountKey: good, secondAccountKey },
    }),
  "openStorage(development storage, credential)": (accountKey) =>
    openStorage("UseDevelopmentStorage=true", {
      credential: { accountName: "devstoreaccount1", accountKey },
    }),
  "openTableService(connection string)": (accountKey) =>
    openTableService(`AccountName=foo;AccountKey=${accountKey}`),
  "openQueues(connection string)": (accountKey) => openQueues(`AccountName=foo;AccountKey=${accountKey}`),
  "openQueues(credential)": (accountKey) =>
    openQueues("https://foo.queue.core.windows.net", { credential: { accountName: "foo", accountKey } }),
  "openPageBlob(connection string)": (accountKey) =>
    openPageBlob(`AccountName=foo;AccountKey=${accountKey}`, { blob: "disks/one" }),
  accountSas: (accountKey) =>
    accountSas({ accountName: "foo", accountKey }, { permissions: "r", expiresAt: from }),
  tableSas: (accountKey) =>
    tableSas({ accountName: "foo", accountKey }, { table: "T", permissions: "r", expiresAt: from }),
  queueSas: (accountKey) =>
    queueSas({ accountName: "foo", accountKey }, { queue: "queue", permissions: "r", expiresAt: from }),
};

async function errorOf(action: () => unknown): Promise<{ code: string; message: string } | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error as { code: string; message: string };
  }
}

describe.each(Object.entries(doors))("%s", (_door, open) => {
  test.each(bad)("refuses %s, and does not repeat it", async (_name, key) => {
    const error = await errorOf(() => open(key));

    expect(error?.code).toMatch(/^storage\.(connection-string|option|sas)$/);
    expect(error?.message).toMatch(/base64|AccountKey has no value/);
    for (const piece of key.split(/\s+/).filter((each) => each.length > 2))
      expect(error?.message).not.toContain(piece);
  });

  test.each([
    ["a key", good],
    ["the key of development storage", developmentKey],
  ])("takes %s", async (_name, key) => {
    expect(await errorOf(() => open(key))).toBeUndefined();
  });
});

test("the key of development storage need not be said", async () => {
  await using storage = await openStorage("UseDevelopmentStorage=true");

  expect(storage.description).toContain("devstoreaccount1");
});
