import { type Account, blobService, isLoopback, readAccount } from "@partita/core/internal/azure";
import { describeType } from "@partita/core/internal";
import { StorageError } from "@partita/core";
import type { OpenPageBlobOptions } from "./page-blob-options.ts";

/** The address of a blob. */
export interface BlobTarget {
  readonly account: Account;
  /** The path after the account's endpoint, percent-encoded. */
  readonly path: string;
  /** The time of the snapshot in the URL. */
  readonly snapshot: string | undefined;
}

/**
 * Parses the address of a blob: its URL, which may contain a snapshot and end with a shared access signature;
 * or a connection string or an endpoint's URL, together with the option `blob`.
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
      'A connection string contains no blob name: pass blob: "container/name", or the URL of a blob',
    );
  return readUrl(urlOf(target), options);
}

function readUrl({ origin, hostname, pathname, search }: URL, options: OpenPageBlobOptions): BlobTarget {
  // For emulators and IP addresses, the path starts with the account.
  const isPathStyle = isLoopback(hostname) || /^[\d.]+$|^\[/.test(hostname);
  const account = isPathStyle ? (/^\/[^/]*/.exec(pathname)?.[0] ?? "") : "";
  const path = pathname.slice(account.length);
  if (!/^\/.*[^/]$/.test(path)) throw invalidTarget("The URL contains no blob name");
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

/** Slashes are part of a blob's name and are not encoded. */
const pathOf = (blob: string): string => `/${blob.split("/").map(encodeURIComponent).join("/")}`;

function urlOf(target: string): URL {
  try {
    return new URL(target);
  } catch {
    throw invalidTarget("The target is not a URL");
  }
}

/** The target is not repeated, because it may contain a key or a signature. */
const invalidTarget = (problem: string): StorageError =>
  new StorageError(
    "blobs.target",
    `${problem}. openPageBlob takes a URL such as https://account.blob.core.windows.net/container/name, with a credential or ending with a shared access signature; or a connection string with { blob: "container/name" }.`,
    { applied: "no" },
  );
