import { messageOf } from "@partita/core/internal";
import { type EntityClass, TableContext, type TableStorage } from "@partita/core";
import { buildClass } from "./build-classes.ts";
import type { ClassGuess } from "./class-guess.ts";

/** Whether the classes of a table read the rows that they were generated from. */
export interface ClassCheck {
  readonly read: number;
  /** The reason why rows were not read, without property values. */
  readonly problem: string | undefined;
}

/** Reads the same number of rows with the classes, in the table's order. */
export async function checkClasses(
  storage: TableStorage,
  classes: readonly ClassGuess[],
  signal: AbortSignal,
): Promise<ClassCheck> {
  const count = classes.reduce((sum, { rows }) => sum + rows.length, 0);
  let read = 0;
  try {
    const built = classes.map(buildClass) as [EntityClass, ...EntityClass[]];
    const context = new TableContext(storage);
    const query = context.query(built).scan().take(count).mergeOption("noTracking");
    for await (const _entity of query.stream({ signal })) read++;
  } catch (error) {
    signal.throwIfAborted();
    return { read, problem: messageOf(error) };
  }
  const problem = read === count ? undefined : `the classes read ${read} of ${count} rows`;
  return { read, problem };
}
