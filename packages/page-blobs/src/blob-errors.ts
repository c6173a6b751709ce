import { StorageError } from "@partita/core";
import type { StorageFailure } from "@partita/core/storage";
import type { Segment } from "./segment-ranges.ts";

/** Remedies, by the service's code or ours. Source: learn.microsoft.com "Blob Storage error codes". */
const remedies: Readonly<Record<string, string | undefined>> = {
  "storage.blob-not-found":
    "Check the names of the container and the blob, which are case-sensitive, and the time of the snapshot.",
  "storage.container-not-found":
    "Check the names of the container and the blob, which are case-sensitive, and the time of the snapshot.",
  "storage.invalid-blob-type":
    "Only page blobs have page ranges. They are usually disks of virtual machines.",
  "storage.operation-timed-out": smaller(),
  "storage.timeout": smaller(),
};

function smaller(): string {
  return "Ask about less in each call with segmentBytes (150 MiB is safe for any fragmentation), or allow more time with timeoutMs.";
}

/** Codes for responses without a document: those of HEAD requests and of proxies. */
const codesOfStatus: Readonly<Record<string, string | undefined>> = {
  "storage.status404": "storage.blob-not-found",
  "storage.status412": "storage.condition-not-met",
};

/** Adds the blob, the segment and a remedy to an error. */
export function aboutBlob(error: StorageError, blob: string, { start, end }: Segment): StorageError {
  const { details, cause } = error;
  const failure = details as unknown as StorageFailure;
  const code = codesOfStatus[error.code] ?? error.code;
  const place = `Page ranges of ${blob}, bytes ${start} to ${end}`;
  if (code === "storage.condition-not-met")
    return new StorageError(
      "blobs.changed",
      `${place}: the blob was changed after the first request. Read the ranges again, read those of a snapshot, or leave out unchanged: true.`,
      failure,
      { cause },
    );
  const remedy = remedies[code];
  const message = remedy === undefined ? error.message : `${error.message} ${remedy}`;
  return new StorageError(code, `${place}: ${message}`, failure, { cause });
}
