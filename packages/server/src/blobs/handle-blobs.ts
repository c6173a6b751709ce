import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { blobHeaders, checkConditions } from "./blob-headers.ts";
import type { BlobResource } from "./blob-resource.ts";
import { type BlobStore, isPages, type StoredBlob } from "./blob-store.ts";
import { rangeOf } from "./range-header.ts";

type BlobRequest = ProtocolRequest<BlobResource>;

/** The name of a blob within its container. */
export interface BlobName {
  readonly container: string;
  readonly blob: string;
}

/** Creates an empty page blob. Source: learn.microsoft.com "Put Blob". */
export function createBlob(
  { header }: BlobRequest,
  { container, blob }: BlobName,
  blobs: BlobStore,
): ProtocolResponse {
  // Blobs of other types consist of their content, which the server does not store.
  if (header("x-ms-blob-type") !== "PageBlob") throw new ServiceFault("NotImplemented");
  const size = sizeOf(header);
  checkConditions(blobs.find(container, blob), header);
  return { status: 201, headers: blobHeaders(blobs.create(container, blob, size)) };
}

/** Marks pages as written, or clears them; their content is not stored. Source: "Put Page". */
export function writePages(
  { header, body }: BlobRequest,
  { container, blob }: BlobName,
  blobs: BlobStore,
): ProtocolResponse {
  const found = blobs.get(container, blob);
  checkConditions(found, header);
  const range = rangeOf(header);
  if (range === undefined) throw new ServiceFault("MissingRequiredHeader");
  const length = range.end - range.start + 1;
  if (!isPages(range.start) || !isPages(length) || range.end >= found.size)
    throw new ServiceFault("InvalidPageRange");
  const kind = header("x-ms-page-write")?.toLowerCase();
  if (kind !== "update" && kind !== "clear") throw new ServiceFault("InvalidHeaderValue");
  if (body.length !== (kind === "update" ? length : 0)) throw new ServiceFault("InvalidHeaderValue");
  const changed = blobs.write(container, blob, (pages) =>
    kind === "update" ? pages.write(range) : pages.clear(range),
  );
  return { status: 201, headers: { ...blobHeaders(changed), ...sequence } };
}

/** Changes the size of a blob. Source: "Set Blob Properties". */
export function resizeBlob(
  { header }: BlobRequest,
  { container, blob }: BlobName,
  blobs: BlobStore,
): ProtocolResponse {
  checkConditions(blobs.get(container, blob), header);
  const changed = blobs.resize(container, blob, sizeOf(header));
  return { status: 200, headers: { ...blobHeaders(changed), ...sequence } };
}

/** Creates a snapshot of a blob. Source: "Snapshot Blob". */
export function snapshotBlob(
  { header }: BlobRequest,
  { container, blob }: BlobName,
  blobs: BlobStore,
): ProtocolResponse {
  const found = blobs.get(container, blob);
  checkConditions(found, header);
  return {
    status: 201,
    headers: { ...blobHeaders(found), "x-ms-snapshot": blobs.snapshot(container, blob) },
  };
}

export function deleteBlob(
  { header }: BlobRequest,
  { container, blob }: BlobName,
  blobs: BlobStore,
): ProtocolResponse {
  checkConditions(blobs.get(container, blob), header);
  blobs.delete(container, blob);
  return { status: 202, headers: {} };
}

/** Source: "Get Blob Properties". */
export function readProperties({ header }: BlobRequest, blob: StoredBlob): ProtocolResponse {
  checkConditions(blob, header);
  return {
    status: 200,
    headers: {
      ...blobHeaders(blob),
      ...sequence,
      "content-length": String(blob.size),
      "content-type": "application/octet-stream",
      "accept-ranges": "bytes",
      "x-ms-blob-type": "PageBlob",
    },
  };
}

/** The server does not support other values. */
const sequence = { "x-ms-blob-sequence-number": "0" } as const;

/** The size in a request. @throws ServiceFault `MissingRequiredHeader`, `InvalidHeaderValue` */
function sizeOf(header: BlobRequest["header"]): number {
  const text = header("x-ms-blob-content-length");
  if (text === undefined) throw new ServiceFault("MissingRequiredHeader");
  if (!/^\d{1,15}$/.test(text) || !isPages(Number(text))) throw new ServiceFault("InvalidHeaderValue");
  return Number(text);
}
