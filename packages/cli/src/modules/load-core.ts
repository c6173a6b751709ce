import type * as main from "@partita/core";
import type * as internal from "@partita/core/internal";
import type * as maintenance from "@partita/maintenance";
import type * as models from "@partita/core/models";
import type * as protocol from "@partita/core/protocol";
import { loadPackageOf } from "./load-package.ts";

/** The parts of the core that the commands use. */
export type Core = typeof main & typeof internal & typeof models & typeof protocol & typeof maintenance;

/**
 * Loads the core that a module imports.
 *
 * @param path - of the module
 */
export async function loadCoreOf(path: string): Promise<Core> {
  return {
    ...(await loadPackageOf<typeof internal>(path, "@partita/core/internal")),
    ...(await loadPackageOf<typeof protocol>(path, "@partita/core/protocol")),
    ...(await loadPackageOf<typeof main>(path, "@partita/core")),
    ...(await loadPackageOf<typeof models>(path, "@partita/core/models")),
    ...(await loadPackageOf<typeof maintenance>(path, "@partita/maintenance")),
  };
}
