import type { openStorage, TableStorage, TokenCredential } from "@partita/core";
import { checkFileIsThere } from "./storage-file.ts";
import { storageTarget } from "./storage-target.ts";

/** How a storage is opened. */
export interface Opening {
  /** Whether a file that is not there is made. */
  readonly mayCreate?: boolean;
  /** Of a module's own core. */
  readonly open?: typeof openStorage;
}

/** Opens what somebody has named. An https URL without a signature is opened with a token of `@azure/identity`. */
export async function openTarget(
  text: string,
  { mayCreate = false, open }: Opening = {},
): Promise<TableStorage> {
  const target = storageTarget(text, (warning) => console.error(`Warning: ${warning}`));
  if (!mayCreate) checkFileIsThere(target);
  const openIt = open ?? (await import("@partita/core")).openStorage;
  return needsToken(target) ? openIt(target, { credential: await defaultCredential() }) : openIt(target);
}

const needsToken = (target: string): boolean => /^https:\/\//i.test(target) && !/[?&]sig=/i.test(target);

/** What is taken of `@azure/identity`, which need not be installed. */
interface Identity {
  readonly DefaultAzureCredential: new () => TokenCredential;
}

const identityPackage: string = "@azure/identity";

async function defaultCredential(): Promise<TokenCredential> {
  try {
    const { DefaultAzureCredential } = (await import(identityPackage)) as Identity;
    return new DefaultAzureCredential();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error(
      `The URL of an account without a signature takes tokens of ${identityPackage}, which is not installed: npm install ${identityPackage}. Or end the URL with a shared access signature.`,
      { cause },
    );
  }
}
