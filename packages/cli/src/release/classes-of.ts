import type { EntityClass } from "@partita/core";
import { loadClasses } from "../modules/load-classes.ts";
import { loadCoreOf } from "../modules/load-core.ts";

/** The entity classes that a module exports, of all tables. @throws Error with a message for users */
export async function classesOf(path: string): Promise<readonly EntityClass[]> {
  const core = await loadCoreOf(path);
  const tables = await loadClasses(core, path);
  // A module may export one class under several names.
  return [...new Set(tables.flatMap(({ classes }) => classes))];
}
