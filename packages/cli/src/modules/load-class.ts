import type { EntityClass } from "@partita/core";
import type { Core } from "./load-core.ts";
import { tableOf } from "./load-classes.ts";
import { loadModule } from "./load-module.ts";
import { CommandError } from "../session/session.ts";

/**
 * Loads an entity class from a compiled module by its exported name.
 *
 * @throws CommandError that lists the exported classes
 */
export async function loadClass(core: Core, path: string, name: string): Promise<EntityClass> {
  const module = await loadModule(path);
  const found = Object.hasOwn(module, name) ? module[name] : undefined;
  const isEntityClass = (value: unknown): value is EntityClass => tableOf(core, value) !== undefined;
  if (isEntityClass(found)) return found;
  const names = Object.keys(module).filter((each) => isEntityClass(module[each]));
  throw new CommandError(
    `${path} exports no entity class of this name. It exports ${names.length === 0 ? "none" : names.join(", ")}.`,
  );
}
