import type { EntityClass, TableStorage } from "@partita/core";
import { openTarget } from "../storage/open-target.ts";
import { type Core, loadCoreOf } from "./load-core.ts";
import { loadModule } from "./load-module.ts";

/** Entity classes of one table. */
export interface ClassesOfTable {
  readonly table: string;
  readonly classes: readonly EntityClass[];
}

/** The classes and the storage of a command. */
export interface Target {
  /** The core that the classes were declared with. */
  readonly core: Core;
  readonly tables: readonly ClassesOfTable[];
  readonly storage: TableStorage;
}

/** Loads the classes of a module and opens a storage. @throws Error with a message for users */
export async function loadTarget(args: readonly string[]): Promise<Target> {
  const [path = "", target = ""] = args;
  const core = await loadCoreOf(path);
  const tables = await loadClasses(core, path);
  return { core, tables, storage: await openTarget(target, { open: core.openStorage }) };
}

/** The entity classes that a module exports, by table. */
export async function loadClasses(core: Core, path: string): Promise<readonly ClassesOfTable[]> {
  const module = await loadModule(path);
  const byTable = new Map<string, EntityClass[]>();
  for (const value of Object.values(module)) {
    const table = tableOf(core, value);
    if (table !== undefined) byTable.set(table, [...(byTable.get(table) ?? []), value as EntityClass]);
  }
  if (byTable.size === 0)
    throw new Error(`${path} exports no entity classes. Give the compiled module that exports your model.`);
  return [...byTable].map(([table, classes]) => ({ table, classes }));
}

/** The table of an entity class. Undefined for any other value. */
export function tableOf({ ModelError, modelOf }: Core, value: unknown): string | undefined {
  if (typeof value !== "function") return undefined;
  try {
    return modelOf(value as EntityClass).table;
  } catch (error) {
    // Any other error is about a class that is declared wrongly.
    if (ModelError.is(error) && error.code === "model.not-an-entity") return undefined;
    throw error;
  }
}
