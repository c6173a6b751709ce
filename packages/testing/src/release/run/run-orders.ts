import type { TableStorage } from "@partita/core";
import type { SimulatedRandom } from "../../simulation/scenario.ts";
import type { ReleaseAct } from "../release-report.ts";
import type { Baselines } from "./baselines.ts";
import { actWith, chooseAct } from "./choose-act.ts";
import type { Findings } from "./findings.ts";
import { History } from "./history.ts";
import { IndexProbe } from "./index-probe.ts";
import { clearTables, openContext } from "./lab.ts";
import { ordersOf, type PlannedAct } from "./orders.ts";
import { otherOf, type PairSetting, releases, type SettingGroup } from "./pair-setting.ts";
import { perform } from "./perform.ts";

/** The data for orders of one class. */
export interface OrderRun {
  readonly setting: PairSetting;
  readonly storage: TableStorage;
  readonly baselines: Baselines;
  readonly findings: Findings;
  readonly random: SimulatedRandom;
  readonly signal: AbortSignal | undefined;
}

/** Runs all orders of this many actions, and changes of each property alone. @returns the number of histories */
export async function runOrders(run: OrderRun, length: number): Promise<number> {
  const { setting, random } = run;
  const indexes = new IndexProbe(setting);
  let count = 0;
  const tryOut = async (choices: readonly ((history: History) => ReleaseAct)[]): Promise<void> => {
    run.signal?.throwIfAborted();
    count++;
    await runHistory(run, choices, indexes);
  };
  for (const order of changesOfEach(setting).filter((each) => each.length <= length))
    await tryOut(
      order.map(
        ({ planned, groups }) =>
          () =>
            actWith(planned, 1, groups, random),
      ),
    );
  for (const order of ordersOf(length))
    await tryOut(order.map((planned) => () => chooseAct(setting, planned, 1, random)));
  return count;
}

/** One release changes a property, and then either release changes all others. */
function changesOfEach({
  groups,
}: PairSetting): { planned: PlannedAct; groups: readonly SettingGroup[] }[][] {
  const orders: { planned: PlannedAct; groups: readonly SettingGroup[] }[][] = [];
  const written = (release: PlannedAct["release"], list: readonly SettingGroup[]): readonly SettingGroup[] =>
    list.filter(({ values }) => values[release].length > 0);
  for (const first of releases)
    for (const second of releases)
      for (const group of written(second, groups))
        for (const third of releases) {
          const others = written(
            third,
            groups.filter((each) => each !== group),
          );
          orders.push([
            { planned: { release: first, act: "inserts" }, groups: written(first, groups) },
            { planned: { release: second, act: "changes" }, groups: [group] },
            ...(others.length === 0
              ? []
              : [{ planned: { release: third, act: "changes" as const }, groups: others }]),
          ]);
        }
  return orders;
}

/** Runs one history, and reads its rows after each action. It ends if the storage refuses an action. */
async function runHistory(
  { setting, storage, baselines, findings }: OrderRun,
  choices: readonly ((history: History) => ReleaseAct)[],
  indexes?: IndexProbe,
): Promise<void> {
  const history = new History(setting, baselines, indexes);
  const open = () => openContext(storage);
  for (const choose of choices) {
    const act = choose(history);
    const written = await perform(setting, act, open());
    if (written !== "done") {
      if (written !== "impossible") noteRefusal(history, act, written.code, findings);
      break;
    }
    history.note(act);
    const found = await history.check(open);
    for (const each of found) findings.add(each, history.acts);
    // After a loss, later actions only show the same loss again.
    if (found.length > 0) break;
  }
  await clearTables(storage, [setting.table]);
}

/** Records that a release refuses to write rows of an unknown version. Conflicts don't count. */
export function noteRefusal(history: History, act: ReleaseAct, code: string, findings: Findings): void {
  const hasOther = history.acts.some(({ release }) => release === otherOf(act.release));
  if (code !== "entity.newer-version" || !hasOther) return;
  const { sides, table } = history.setting;
  const entity = sides[act.release].model.name;
  findings.add({ table, entity, reader: act.release, status: "refused", code }, [...history.acts, act]);
}
