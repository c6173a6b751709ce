import type { TableContext } from "@partita/core";
import type { ReleaseAct } from "../release-report.ts";
import type { PairSetting } from "./pair-setting.ts";
import type { Written } from "./side.ts";

/** Performs one action of a release. */
export function perform(
  { sides, rows }: PairSetting,
  act: ReleaseAct,
  context: TableContext,
): Promise<Written> {
  const side = sides[act.release];
  const key = rows[act.row - 1]?.[act.release] ?? {};
  const { values = {} } = act;
  switch (act.act) {
    case "inserts":
    case "copies":
      return side.insert(context, key, values);
    case "changes":
      return side.update(context, key, values, "merge");
    case "replaces":
      return side.update(context, key, values, "replace");
    case "removes":
      return side.remove(context, key);
    default:
      return act.act satisfies never;
  }
}
