import type { openStorage, TableStorage } from "@partita/core";
import type { TokenCredential } from "@partita/core/rest";
import { checkStorageFile, isMissingFile } from "./storage-file.ts";
import { storageTarget } from "./storage-target.ts";

/** Options for opening a storage. */
export interface Opening {
  /** Whether to create a file that does not exist. */
  readonly mayCreate?: boolean;
  /** `openStorage` of a module's own core. */
  readonly open?: typeof openStorage;
}

/**
 * Opens the storage that the user named. An https URL without a signature uses tokens of `@azure/identity`,
 * which is an optional package.
 */
export async function openTarget(
  text: string,
  { mayCreate = false, open }: Opening = {},
): Promise<TableStorage> {
  const target = storageTarget(text, (warning) => console.error(`Warning: ${warning}`));
  checkStorageFile(target, mayCreate);
  const credential = needsToken(target) ? await defaultCredential() : undefined;
  const openIt = open ?? (await import("@partita/core")).openStorage;
  return credential === undefined ? openIt(target) : openIt(target, { credential });
}

/** Opens a storage that a command only reads. Undefined for a file that does not exist yet. */
export const openIfThere = async (text: string): Promise<TableStorage | undefined> =>
  isMissingFile(storageTarget(text, () => {})) ? undefined : openTarget(text);

const needsToken = (target: string): boolean => /^https:\/\//i.test(target) && !/[?&]sig=/i.test(target);

async function defaultCredential(): Promise<TokenCredential> {
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new DefaultAzureCredential();
}
