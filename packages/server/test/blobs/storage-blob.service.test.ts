import {
  BlobSASPermissions,
  BlobServiceClient,
  generateBlobSASQueryParameters,
  type PageBlobClient,
  type RestError,
  SASProtocol,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { openPageBlob } from "@partita/page-blobs";
import { accountSas } from "@partita/account";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PageBlobServer, startPageBlobServer } from "../../src/index.ts";

let server: PageBlobServer;
let service: BlobServiceClient;
beforeAll(async () => {
  server = await startPageBlobServer();
  const credential = new StorageSharedKeyCredential(server.account, server.key);
  service = new BlobServiceClient(server.url, credential, { retryOptions: { maxTries: 1 } });
  await service.getContainerClient("vhds").create();
});
afterAll(() => server.close());

const blobOf = (name: string): PageBlobClient => service.getContainerClient("vhds").getPageBlobClient(name);

/** What a client is refused with. */
async function refusal(
  promise: Promise<unknown>,
): Promise<readonly [number | undefined, string | undefined]> {
  const error = await promise.then(
    () => expect.unreachable("expected a rejection"),
    (reason: unknown) => reason as RestError,
  );
  return [error.statusCode, error.code];
}

async function rangesOf(
  blob: PageBlobClient,
  maxPageSize: number,
): Promise<readonly (readonly [number, number])[]> {
  const found: (readonly [number, number])[] = [];
  for await (const page of blob.listPageRanges().byPage({ maxPageSize }))
    for (const { start, end } of page.pageRange ?? []) found.push([start, end]);
  return found;
}

describe("Microsoft's client", () => {
  test("makes a blob, writes pages of any bytes, clears some, and lists them in parts", async () => {
    const blob = blobOf("a/disk 1.vhd");
    await blob.create(8192);
    for (const page of [0, 1, 4, 8, 15])
      await blob.uploadPages(new Uint8Array(512).fill(0xff), page * 512, 512);
    await blob.clearPages(512, 512);

    expect(await rangesOf(blob, 2)).toStrictEqual([
      [0, 511],
      [2048, 2559],
      [4096, 4607],
      [7680, 8191],
    ]);
    const { pageRange = [] } = await blob.getPageRanges(2048, 2560);
    expect(pageRange).toStrictEqual([
      { offset: 2048, count: 511 },
      { offset: 4096, count: 511 },
    ]);
    const { contentLength, blobType } = await blob.getProperties();
    expect([contentLength, blobType]).toStrictEqual([8192, "PageBlob"]);
  });

  test("changes the size of a blob, keeps a snapshot, and removes it", async () => {
    const blob = blobOf("b.vhd");
    await blob.create(4096);
    await blob.uploadPages(new Uint8Array(1024), 1024, 1024);
    const { snapshot = "" } = await blob.createSnapshot();
    await blob.resize(1536);

    expect(await rangesOf(blob, 10)).toStrictEqual([[1024, 1535]]);
    expect(await rangesOf(blob.withSnapshot(snapshot), 10)).toStrictEqual([[1024, 2047]]);
    await blob.delete();
    expect(await refusal(blob.getPageRanges())).toStrictEqual([404, "BlobNotFound"]);
  });

  test("is refused what the service refuses", async () => {
    const blob = blobOf("c.vhd");
    const { etag = "" } = await blob.create(1024);
    await blob.uploadPages(new Uint8Array(512), 0, 512);
    const conditions = { ifMatch: etag };

    expect(await refusal(blob.getPageRanges(0, 512, { conditions }))).toStrictEqual([412, "ConditionNotMet"]);
    expect(await refusal(blob.getPageRanges(2048, 512))).toStrictEqual([416, "InvalidRange"]);
    expect(await refusal(blob.uploadPages(new Uint8Array(512), 256, 512))).toStrictEqual([
      416,
      "InvalidPageRange",
    ]);
    expect(await refusal(blob.uploadPages(new Uint8Array(512), 1024, 512))).toStrictEqual([
      416,
      "InvalidPageRange",
    ]);
    expect(await refusal(blob.create(1000))).toStrictEqual([400, "InvalidHeaderValue"]);
    expect(await refusal(blob.create(512, { conditions: { ifNoneMatch: "*" } }))).toStrictEqual([
      409,
      "BlobAlreadyExists",
    ]);
    expect(await refusal(blob.download())).toStrictEqual([501, "NotImplemented"]);
    expect(await refusal(service.getContainerClient("vhds").create())).toStrictEqual([
      409,
      "ContainerAlreadyExists",
    ]);
    expect(await refusal(service.getContainerClient("none").delete())).toStrictEqual([
      404,
      "ContainerNotFound",
    ]);
  });
});

describe("signatures", () => {
  const expiresOn = new Date(Date.now() + 3_600_000);
  const sasFor = (blobName: string | undefined, letters: string): string =>
    generateBlobSASQueryParameters(
      {
        containerName: "vhds",
        ...(blobName !== undefined && { blobName }),
        permissions: BlobSASPermissions.parse(letters),
        protocol: SASProtocol.HttpsAndHttp,
        expiresOn,
      },
      new StorageSharedKeyCredential(server.account, server.key),
    ).toString();
  const read = async (name: string, sas: string): Promise<number> => {
    await using disk = await openPageBlob(`${server.url}/vhds/${name}?${sas}`);
    let count = 0;
    for await (const _range of disk.pageRanges()) count++;
    return count;
  };
  beforeAll(() => {
    for (const name of ["one.vhd", "other.vhd"])
      server.putPageBlob(`vhds/${name}`, { size: 1024, ranges: [{ start: 0, end: 511 }] });
  });

  test("for a blob, a container or an account let its ranges be read", async () => {
    const { account: accountName, key: accountKey } = server;
    const ofAccount = {
      permissions: "r",
      services: "b",
      protocol: "https,http",
      expiresAt: expiresOn,
    } as const;

    expect(await read("one.vhd", sasFor("one.vhd", "r"))).toBe(1);
    expect(await read("one.vhd", sasFor(undefined, "r"))).toBe(1);
    expect(await read("one.vhd", accountSas({ accountName, accountKey }, ofAccount))).toBe(1);
  });

  test("for something else do not", async () => {
    const { account: accountName, key: accountKey } = server;
    const ofQueues = {
      permissions: "r",
      services: "q",
      protocol: "https,http",
      expiresAt: expiresOn,
    } as const;

    await expect(read("other.vhd", sasFor("one.vhd", "r"))).rejects.toMatchObject({ status: 403 });
    await expect(read("one.vhd", sasFor("one.vhd", "w"))).rejects.toMatchObject({
      code: "storage.authorization-permission-mismatch",
    });
    await expect(read("one.vhd", accountSas({ accountName, accountKey }, ofQueues))).rejects.toMatchObject({
      code: "storage.authorization-service-mismatch",
    });
  });

  test("of another key, or none, do not", async () => {
    const other = sasFor("one.vhd", "r").replace(/sig=.{4}/, "sig=AAAA");
    const nobody = await fetch(`${server.url}/vhds/one.vhd?comp=pagelist`);

    await expect(read("one.vhd", other)).rejects.toMatchObject({ status: 403 });
    expect(nobody.status).toBe(403);
  });
});

test("what is put in place is checked", async () => {
  await using own = await startPageBlobServer();

  expect(() => own.putPageBlob("disk.vhd", { size: 512 })).toThrow(
    expect.objectContaining({ code: "server.option" }),
  );
  expect(() => own.putPageBlob("vhds/disk.vhd", { size: 100 })).toThrow("multiple of 512");
  expect(() => own.putPageBlob("vhds/disk.vhd", { size: 512, ranges: [{ start: 0, end: 1023 }] })).toThrow(
    "within the size",
  );
  await expect(startPageBlobServer({ maxRangesPerResponse: 0 })).rejects.toMatchObject({
    code: "server.option",
  });
});
