import { ServiceFault } from "../wire/service-fault.ts";
import type { StoredBlob } from "./blob-store.ts";

/** The headers of a blob in responses. */
export const blobHeaders = ({ etag, modifiedAt }: StoredBlob): Record<string, string> => ({
  etag,
  "last-modified": new Date(modifiedAt).toUTCString(),
});

/**
 * Checks the ETag conditions of a request.
 *
 * @param blob - undefined if it does not exist
 * @throws ServiceFault `ConditionNotMet`, `BlobAlreadyExists`
 */
export function checkConditions(
  blob: StoredBlob | undefined,
  header: (name: string) => string | undefined,
): void {
  const [wanted, refused] = [header("if-match"), header("if-none-match")];
  if (wanted !== undefined && (blob === undefined || (wanted !== "*" && wanted !== blob.etag)))
    throw new ServiceFault("ConditionNotMet");
  if (blob === undefined || refused === undefined) return;
  if (refused === "*") throw new ServiceFault("BlobAlreadyExists");
  if (refused === blob.etag) throw new ServiceFault("ConditionNotMet");
}
