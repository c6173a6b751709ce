import { type Account, blobService, isLoopback, readAccount } from "@partita/core/internal/azure";
import { describeType } from "@partita/core/internal";
import { StorageError } from "@partita/core";
import type { OpenPageBlobOptions } from "./page-blob-options.ts";

/** Where a blob is. */
export interface BlobTarget {
  readonly account: Account;
  /** The path after the account's endpoint, percent-encoded. */
  readonly path: string;
  /** The time of the snapshot that a URL names. */
  readonly snapshot: string | undefined;
}

/**
 * Reads where a blob is: its URL, which may name a snapshot and end with a shared access signature; or a connection
 * string, or the endpoint's URL, beside the option `blob`.
 *
 * @throws StorageError `blobs.target`, `storage.connection-string`
 */
export function readBlobTarget(target: unknown, options: OpenPageBlobOptions): BlobTarget {
  if (typeof target !== "string")
    throw invalidTarget(`openPageBlob(target) takes a text, but got ${describeType(target)}`);
  const { blob } = options;
  if (blob !== undefined)
    return { account: readAccount(target, options, blobService), path: pathOf(blob), snapshot: undefined };
  if (!/^https?:\/\//i.test(target))
    throw invalidTarget(
      'A connection string does not name a blob: pass blob: "container/name", or the URL of a blob',
    );
  return readUrl(urlOf(target), options);
}

function readUrl({ origin, hostname, pathname, search }: URL, options: OpenPageBlobOptions): BlobTarget {
  // Emulators, and services under an address, have the account at the beginning of the path.
  const isPathStyle = isLoopback(hostname) || /^[\d.]+$|^\[/.test(hostname);
  const account = isPathStyle ? (/^\/[^/]*/.exec(pathname)?.[0] ?? "") : "";
  const path = pathname.slice(account.length);
  if (!/^\/.*[^/]$/.test(path)) throw invalidTarget("The URL names no blob");
  const parts = search.slice(1).split("&");
  const snapshot = new URLSearchParams(search).get("snapshot") ?? undefined;
  const sas = parts.filter((part) => part !== "" && !part.startsWith("snapshot=")).join("&");
  const endpoint = `${origin}${account}${sas === "" ? "" : `?${sas}`}`;
  return {
    account: readAccount(endpoint, options, blobService),
    path,
    snapshot,
  };
}

/** Slashes are parts of a blob's name, and stay what they are. */
const pathOf = (blob: string): string => `/${blob.split("/").map(encodeURIComponent).join("/")}`;

function urlOf(target: string): URL {
  try {
    return new URL(target);
  } catch {
    throw invalidTarget("The target is no URL");
  }
}

/** The target may have a key or a signature in it: it is not repeated. */
const invalidTarget = (problem: string): StorageError =>
  new StorageError(
    "blobs.target",
    `${problem}. openPageBlob takes a URL such as https://account.blob.core.windows.net/container/name, with a credential or ending with a shared access signature; or a connection string with { blob: "container/name" }.`,
    { applied: "no" },
  );
