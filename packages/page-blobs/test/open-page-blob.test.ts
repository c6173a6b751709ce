import { describe, expect, test } from "vitest";
import { readBlobTarget } from "../src/blob-target.ts";
import { openPageBlob } from "../src/index.ts";

const credential = { accountName: "acct", accountKey: "a2V5" };
const url = "https://acct.blob.core.windows.net/vhds/disk.vhd";

describe("targets", () => {
  test("a URL names account, container, blob and snapshot, and may end with a signature", () => {
    const target = readBlobTarget(`${url}?snapshot=2026-11-22T21%3A00%3A00.0000000Z&sv=1&sig=x%2By`, {});

    expect(target.account.endpoint.href).toBe("https://acct.blob.core.windows.net/");
    expect(target.account.credential).toStrictEqual({ sas: "sv=1&sig=x%2By" });
    expect([target.path, target.snapshot]).toStrictEqual(["/vhds/disk.vhd", "2026-11-22T21:00:00.0000000Z"]);
  });

  test("an emulator's URL begins with the account's name", () => {
    const target = readBlobTarget("http://127.0.0.1:10000/devstoreaccount1/vhds/a%20b/c.vhd", { credential });

    expect(target.account.endpoint.href).toBe("http://127.0.0.1:10000/devstoreaccount1");
    expect(target.path).toBe("/vhds/a%20b/c.vhd");
  });

  test("a blob of the root container needs no container", () => {
    expect(readBlobTarget("https://acct.blob.core.windows.net/disk.vhd", { credential }).path).toBe(
      "/disk.vhd",
    );
  });

  test("a connection string is beside the blob's name, whose characters are encoded", () => {
    const target = readBlobTarget("UseDevelopmentStorage=true", { blob: "vhds/a b/ü#1?.vhd" });

    expect(target.account.endpoint.href).toBe("http://127.0.0.1:10000/devstoreaccount1");
    expect(target.path).toBe("/vhds/a%20b/%C3%BC%231%3F.vhd");
  });
});

describe("what is refused", () => {
  const refused: readonly (readonly [title: string, target: unknown, options: object, code: string])[] = [
    ["no text", undefined, { credential }, "blobs.target"],
    ["a connection string alone", "AccountName=acct;AccountKey=c2VjcmV0", {}, "blobs.target"],
    ["the URL of an account", "https://acct.blob.core.windows.net/", { credential }, "blobs.target"],
    ["the URL of a folder", "https://acct.blob.core.windows.net/vhds/", { credential }, "blobs.target"],
    ["a URL that is none", "https://[/", { credential }, "blobs.target"],
    ["a URL without anybody who asks", url, {}, "storage.connection-string"],
    [
      "http to another machine",
      "http://acct.blob.core.windows.net/a/b",
      { credential },
      "storage.connection-string",
    ],
    [
      "the table endpoint",
      "https://acct.table.core.windows.net/a/b",
      { credential },
      "storage.connection-string",
    ],
    ["a misspelt option", url, { credentials: credential }, "blobs.option"],
    ["a blob without a container", "UseDevelopmentStorage=true", { blob: "disk.vhd" }, "blobs.option"],
  ];
  for (const [title, target, options, code] of refused)
    test(`${title}`, async () => {
      const error = await openPageBlob(target as string, options).catch((reason: unknown) => reason);

      expect(error).toMatchObject({ code });
      expect((error as Error).message).not.toContain("c2VjcmV0");
    });

  const wrong: readonly (readonly [options: object, code: string])[] = [
    [{ segmentBytes: 0 }, "blobs.option"],
    [{ segmentBytes: -512 }, "blobs.option"],
    [{ segmentBytes: 1000 }, "blobs.option"],
    [{ segmentBytes: 2 ** 44 }, "blobs.option"],
    [{ segmentBytes: Number.NaN }, "blobs.option"],
    [{ segmentBytes: "512" }, "blobs.option"],
    [{ timeoutMs: 0 }, "blobs.option"],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, "blobs.option"],
    [{ from: 100 }, "blobs.option"],
    [{ from: -512 }, "blobs.option"],
    [{ snapshot: "yesterday" }, "blobs.option"],
    [{ joined: true }, "blobs.option"],
  ];
  for (const [options, code] of wrong)
    test(`pageRanges(${JSON.stringify(options)})`, async () => {
      await using disk = await openPageBlob(url, { credential });

      expect(() => disk.pageRanges(options)).toThrow(expect.objectContaining({ code }));
    });
});
