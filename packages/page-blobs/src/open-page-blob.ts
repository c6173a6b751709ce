import { checkRuntime } from "@partita/core/internal";
import { checkOpenPageBlob, type OpenPageBlobOptions } from "./page-blob-options.ts";
import type { PageBlob } from "./page-blob.ts";

/**
 * Opens a page blob of Azure Blob storage, or of an emulator: by its URL, with a `credential` or ending with
 * a shared access signature; or by a connection string and `blob`. Nothing is sent until you read its ranges.
 *
 * @example
 * ```ts
 * // Needs a storage account.
 * await using disk = await openPageBlob("https://acct.blob.core.windows.net/vhds/disk.vhd", { credential });
 * for await (const { start, end } of disk.pageRanges({ join: true })) console.log(start, end);
 * ```
 *
 * @throws OptionError `blobs.option`; StorageError `blobs.target`, `storage.connection-string`,
 * `storage.node-version`
 */
export async function openPageBlob(target: string, options: OpenPageBlobOptions = {}): Promise<PageBlob> {
  checkRuntime();
  checkOpenPageBlob(options);
  const { openRestPageBlob } = await import("./rest-page-blob.ts");
  return openRestPageBlob(target, options);
}
