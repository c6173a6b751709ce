import { loadTarget } from "../modules/load-classes.ts";
import { inSession } from "../session/session.ts";
import { shownError } from "../session/shown-error.ts";
import { linesOf } from "./print.ts";

const indent = " ".repeat(14);

/** `partita census`: prints versions and shapes. Returns the exit code. */
export const census = (args: readonly string[]): Promise<number> =>
  inSession(async ({ out, say, signal }) => {
    const { core, tables, storage } = await loadTarget(args);
    await using _closed = storage;
    let code = 0;
    for (const { table, classes } of tables) {
      await out.line(table);
      const entries = await core.census(storage, classes, { signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        // The other tables are still counted.
        say(`${table}: ${shownError(error).message}`);
        code = 1;
        return [];
      });
      for (const entry of entries) {
        await out.line(linesOf([entry]).join("\n"));
        for (const { count, properties } of entry.shapes) {
          const names = Object.entries(properties).map(([name, edm]) => `${name} ${edm.replace("Edm.", "")}`);
          await out.line(
            `${indent}${count.toLocaleString("en")} with ${names.join(", ") || "no properties"}`,
          );
        }
        if (entry.shapeCount > entry.shapes.length)
          await out.line(`${indent}and ${entry.shapeCount - entry.shapes.length} more shapes`);
      }
    }
    return code;
  });
