import type { SimulatedRandom } from "../../simulation/scenario.ts";
import type { ReleaseAct } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import type { PlannedAct } from "./orders.ts";
import type { PairSetting, SettingGroup } from "./pair-setting.ts";

/** Chooses the values of an action: a change writes one property or all of them, the others write all. */
export function chooseAct(
  setting: PairSetting,
  { release, act }: PlannedAct,
  row: number,
  random: SimulatedRandom,
): ReleaseAct {
  if (act === "removes") return { release, act, row };
  const written = setting.groups.filter(({ values }) => values[release].length > 0);
  const isPart = act === "changes" && written.length > 1 && random.below(2) === 0;
  return actWith({ release, act }, row, isPart ? [random.oneOf(written)] : written, random);
}

/** An action that writes these groups. */
export function actWith(
  { release, act }: PlannedAct,
  row: number,
  groups: readonly SettingGroup[],
  random: SimulatedRandom,
): ReleaseAct {
  const values = Object.assign(
    {},
    ...groups.map((group) => random.oneOf(group.values[release])),
  ) as PlainValues;
  const properties = act === "changes" ? { properties: Object.keys(values) } : {};
  return { release, act, row, ...properties, values };
}
