import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as main from "@partita/core";
import type * as internal from "@partita/core/internal";
import type * as maintenance from "@partita/core/maintenance";
import type * as models from "@partita/core/models";
import type * as protocol from "@partita/core/protocol";
import { findPackage } from "../find-package.ts";
import { checkModuleIsThere } from "./load-module.ts";

/** What the commands may use of the core. */
export type Core = typeof main & typeof internal & typeof models & typeof protocol & typeof maintenance;

/**
 * Loads the core that a module imports. This command may be installed elsewhere, with a core of its own, which does not know
 * the module's classes.
 *
 * @param path - of the module
 */
export async function loadCoreOf(path: string): Promise<Core> {
  checkModuleIsThere(path);
  const folder = findPackage("@partita/core", dirname(realpathSync(path)));
  const load = async <Entry>(name: string): Promise<Entry> =>
    (await import(folder === undefined ? import.meta.resolve(name) : entryOf(folder, name))) as Entry;
  return {
    ...(await load<typeof internal>("@partita/core/internal")),
    ...(await load<typeof protocol>("@partita/core/protocol")),
    ...(await load<typeof main>("@partita/core")),
    ...(await load<typeof models>("@partita/core/models")),
    ...(await load<typeof maintenance>("@partita/core/maintenance")),
  };
}

/** The URL of a package's entry: a package finds itself by its name. */
const entryOf = (folder: string, name: string): string =>
  pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
