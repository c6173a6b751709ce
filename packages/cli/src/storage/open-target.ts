import type { openStorage, TableStorage } from "@partita/core";
import type { TokenCredential } from "@partita/core/rest";
import { checkFileIsThere } from "./storage-file.ts";
import { storageTarget } from "./storage-target.ts";

/** How a storage is opened. */
export interface Opening {
  /** Whether a file that is not there is made. */
  readonly mayCreate?: boolean;
  /** Of a module's own core. */
  readonly open?: typeof openStorage;
}

/** Opens what somebody has named. An https URL without a signature takes tokens of `@azure/identity`, which need not be installed. */
export async function openTarget(
  text: string,
  { mayCreate = false, open }: Opening = {},
): Promise<TableStorage> {
  const target = storageTarget(text, (warning) => console.error(`Warning: ${warning}`));
  if (!mayCreate) checkFileIsThere(target);
  const credential = needsToken(target) ? await defaultCredential() : undefined;
  const openIt = open ?? (await import("@partita/core")).openStorage;
  return credential === undefined ? openIt(target) : openIt(target, { credential });
}

const needsToken = (target: string): boolean => /^https:\/\//i.test(target) && !/[?&]sig=/i.test(target);

async function defaultCredential(): Promise<TokenCredential> {
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new DefaultAzureCredential();
}
