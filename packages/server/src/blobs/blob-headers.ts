import { ServiceFault } from "../wire/service-fault.ts";
import type { StoredBlob } from "./blob-store.ts";

/** What answers say of a blob. */
export const blobHeaders = ({ etag, modifiedAt }: StoredBlob): Record<string, string> => ({
  etag,
  "last-modified": new Date(modifiedAt).toUTCString(),
});

/**
 * Whether a request may be carried out, by the ETags that it names.
 *
 * @param blob - undefined where there is none yet
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
