import { loadTarget } from "../modules/load-classes.ts";
import { linesOf } from "./print-counts.ts";

/** `partita census`: prints versions and shapes. Returns the exit code. */
export async function census(args: readonly string[]): Promise<number> {
  const { core, tables, storage } = await loadTarget(args);
  let code = 0;
  try {
    for (const { table, classes } of tables) {
      console.log(table);
      const entries = await core.census(storage, classes).catch((error: unknown) => {
        // The other tables are counted all the same.
        console.error(`${table}: ${(error as Error).message}`);
        code = 1;
        return [];
      });
      for (const entry of entries) {
        console.log(...linesOf([entry]));
        for (const { count, properties } of entry.shapes) {
          const names = Object.entries(properties).map(([name, edm]) => `${name} ${edm.replace("Edm.", "")}`);
          console.log(
            `${" ".repeat(14)}${count.toLocaleString("en")} with ${names.join(", ") || "no properties"}`,
          );
        }
        if (entry.shapeCount > entry.shapes.length)
          console.log(`${" ".repeat(14)}and ${entry.shapeCount - entry.shapes.length} more shapes`);
      }
    }
  } finally {
    await storage.close();
  }
  return code;
}
