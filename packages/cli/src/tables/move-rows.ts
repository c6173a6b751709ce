import type { EntityKey } from "@partita/core";
import type { MoveReport } from "@partita/maintenance";
import type { Limits } from "../commands/shared.ts";
import { loadClass } from "../modules/load-class.ts";
import { loadCoreOf } from "../modules/load-core.ts";
import { loadModule } from "../modules/load-module.ts";
import { CommandError, inSession } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import { jobProgress, leftLines } from "./print.ts";

/** Options as given. */
interface MoveRowsOptions extends Limits {
  readonly from?: string;
  readonly to?: string;
  /** The name of an exported function. */
  readonly key?: string;
  readonly dryRun?: boolean;
}

/** `partita move-rows`: moves rows to other keys. Returns the exit code: 1 if rows are left. */
export const moveRows = (
  [path = "", target = ""]: readonly string[],
  { from, to, key, ...options }: MoveRowsOptions,
): Promise<number> =>
  inSession(
    async (session) => {
      if (from === undefined || to === undefined)
        throw new CommandError("Name two classes of the module: --from <class> --to <class>.");
      const core = await loadCoreOf(path);
      const [Old, New] = [await loadClass(core, path, from), await loadClass(core, path, to)];
      const keyOf = key === undefined ? undefined : await loadFunction(path, key);
      await using storage = await openTarget(target, { open: core.openStorage });
      const { table } = core.modelOf(Old);
      const show = jobProgress(session, table);
      const report = await core.moveRows(storage, Old, New, {
        ...options,
        ...(keyOf !== undefined && { key: keyOf as (old: object) => never }),
        signal: session.signal,
        onProgress: ({ phase, read, moved }) => show(phase, read, `${count(moved)} moved`),
      });
      session.bar.end();
      for (const line of linesOf(report, to)) await session.out.line(line);
      return report.isClean || report.isDryRun ? 0 : 1;
    },
    () => "Run it again. It continues where it stopped.",
  );

async function loadFunction(path: string, name: string): Promise<(old: object) => EntityKey> {
  const module = await loadModule(path);
  const found = Object.hasOwn(module, name) ? module[name] : undefined;
  if (typeof found === "function") return found as (old: object) => EntityKey;
  throw new CommandError(`${path} exports no function ${name} for --key.`);
}

const linesOf = ({ table, moved, left, leftCount, isClean, isDryRun }: MoveReport, to: string): string[] => [
  isDryRun ? `${table}: ${count(moved)} rows would be moved` : `${table}: ${count(moved)} rows moved`,
  ...leftLines(left, leftCount, "left under its former key"),
  ...(isClean ? [`${table} has no rows under former keys. Remove formerKeys from ${to}.`] : []),
];

const count = (rows: number): string => rows.toLocaleString("en");
