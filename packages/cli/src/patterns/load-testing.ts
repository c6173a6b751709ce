import type * as testing from "@partita/testing";
import { loadPackageOf } from "../modules/load-package.ts";

/**
 * Loads `@partita/testing`, which plans the patterns of a module with many values. Most commands do not need it, so projects
 * install it themselves.
 *
 * @param path - of the module
 * @throws Error that says how to install it
 */
export async function loadTestingOf(path: string): Promise<typeof testing> {
  try {
    return await loadPackageOf<typeof testing>(path, "@partita/testing");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "partita patterns needs @partita/testing, which is not installed: npm install --save-dev @partita/testing",
      { cause: error },
    );
  }
}
