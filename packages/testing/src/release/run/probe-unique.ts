// Inserts two rows with the same value: a release with a unique index relies on the other to refuse the second row.

import type { IndexModel } from "@partita/core/models";
import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import { usualValues } from "./baselines.ts";
import { clearTables, openContext } from "./lab.ts";
import { otherOf, releases } from "./pair-setting.ts";
import { perform } from "./perform.ts";
import type { OrderRun } from "./run-orders.ts";

/** @returns the number of histories */
export async function probeUnique(run: OrderRun): Promise<number> {
  const { sides, rows } = run.setting;
  let count = 0;
  if (rows.length < 2) return count;
  for (const reader of releases)
    for (const index of sides[reader].model.indexes)
      if (index.isUnique && !index.isUnread && index.state !== "retired") {
        count++;
        await probe(run, reader, index);
      }
  return count;
}

async function probe(
  { setting, storage, findings }: OrderRun,
  reader: ReleaseName,
  { name: index }: IndexModel,
): Promise<void> {
  const { table, sides } = setting;
  const acts = [reader, otherOf(reader)].map((release, i): ReleaseAct => ({
    release,
    act: "inserts",
    row: i + 1,
    values: usualValues(setting, release),
  }));
  const written = [];
  for (const act of acts) written.push(await perform(setting, act, openContext(storage)));
  if (written.every((each) => each === "done"))
    findings.add({ table, entity: sides[reader].model.name, reader, index, status: "not enforced" }, acts);
  await clearTables(storage, [table]);
}
