import { openStorage, type TableStorage } from "@partita/core";
import type { EntityModel } from "@partita/core/models";
import { randomNumbers } from "../../faults/fault-plan.ts";
import type { SimulatedRandom } from "../../simulation/scenario.ts";
import { systemClock } from "@partita/core/internal";
import type { CheckReleaseOptions } from "../check-release-options.ts";
import type { ReleaseClass, ReleaseReport } from "../release-report.ts";
import { identitiesOf } from "../sides/identities.ts";
import { type ClassPair, pairClasses } from "../sides/pair-classes.ts";
import { propertyGroups } from "../sides/property-groups.ts";
import type { GivenValues } from "../sides/value-pools.ts";
import { Baselines } from "./baselines.ts";
import { Findings } from "./findings.ts";
import { judgeCopies, judgeInserts, judgeKeys } from "./judge-baselines.ts";
import { type Classes, openLab } from "./lab.ts";
import { isAbsent, type PairSetting, releases, settingGroup } from "./pair-setting.ts";
import { probeTables } from "./probe-table.ts";
import { probeUnique } from "./probe-unique.ts";
import { type RandomPair, runRandom } from "./random-histories.ts";
import { runOrders } from "./run-orders.ts";
import { Side } from "./side.ts";

/** A class to run, or the reason why it is not run. */
interface RunPair {
  readonly pair: ClassPair;
  readonly setting: PairSetting | undefined;
  readonly unchecked: string[];
}

/** Runs all histories of two releases. */
export async function runRelease(classes: Classes, options: CheckReleaseOptions): Promise<ReleaseReport> {
  const { seed = 1, acts = 4, histories: wanted = 300, values = {}, storage, signal } = options;
  const findings = new Findings();
  const given = (entity: string): GivenValues => values[entity] ?? {};
  const random = randomOf(seed);
  const pairs = pairClasses(classes.old, classes.new);
  const open = (): TableStorage | Promise<TableStorage> =>
    storage?.({ seed, run: 0, clock: systemClock }) ?? openStorage("memory:");
  await using store = await openLab(classes, open);
  await using models = await openLab(classes);
  let histories = await probeTables({ classes, storage: store, findings, seed, given }, pairs);
  const all: RunPair[] = [];
  const running: RandomPair[] = [];
  for (const pair of pairs) {
    const run = prepare(pair, findings, given, seed);
    all.push(run);
    const { setting } = run;
    if (setting === undefined) continue;
    const baselines = new Baselines(setting, models);
    if (!(await canRun(run, setting, baselines))) continue;
    histories += await judgeKeys(setting, models, findings);
    histories += await judgeInserts(setting, baselines, findings);
    histories += await judgeCopies(setting, baselines, findings);
    const orders = { setting, storage: store, baselines, findings, random, signal };
    histories += await probeUnique(orders);
    histories += await runOrders(orders, acts);
    running.push({ setting, baselines });
  }
  histories += await runRandom({
    classes,
    pairs: running,
    findings,
    seed,
    histories: wanted,
    storage,
    signal,
  });
  const list = findings.list();
  return {
    isCompatible: !list.some(({ isLoss }) => isLoss),
    seed,
    histories,
    classes: all.map((each) => classOf(each, findings)),
    findings: list,
  };
}

function prepare(
  pair: ClassPair,
  findings: Findings,
  given: (entity: string) => GivenValues,
  seed: number,
): RunPair {
  const { old, new: newer, table } = pair;
  const unchecked: string[] = [];
  if (old === undefined || newer === undefined) return { pair, setting: undefined, unchecked };
  const rows = identitiesOf(old, newer, given(old.name), seed);
  if (rows === undefined)
    findings.add({ table, entity: newer.name, reader: "new", status: "key changed" }, [
      { release: "old", act: "inserts", row: 1 },
    ]);
  if (rows?.length === 0)
    unchecked.push(
      `No generated value is valid for the key of ${old.name}. Pass values for it with the option values.`,
    );
  if (rows === undefined || rows.length === 0) return { pair, setting: undefined, unchecked };
  const both = { old: given(old.name), new: given(newer.name) };
  const groups = propertyGroups(old, newer).map((group) => settingGroup(group, both, seed));
  const sides = { old: new Side("old", old), new: new Side("new", newer) };
  return { pair, setting: { table, sides, rows, groups }, unchecked };
}

/** Records what cannot be tried. @returns whether both releases can store a row of the class */
async function canRun({ unchecked }: RunPair, setting: PairSetting, baselines: Baselines): Promise<boolean> {
  const { groups, sides } = setting;
  let isRunnable = true;
  for (const release of releases) {
    const { name } = sides[release].model;
    const missing = groups.filter(
      (group) => group[release].length > 0 && group.values[release].every(isAbsent),
    );
    for (const group of missing)
      unchecked.push(
        `${name}.${group[release].map((root) => root.name).join(", ")} accepts no generated value in the ${release} release. Pass values for it with the option values.`,
      );
    const { written } = await baselines.usual(release);
    if (written === "done") continue;
    isRunnable = false;
    if (missing.length === 0)
      unchecked.push(
        `The ${release} release cannot store a ${name} with generated values (${typeof written === "object" ? written.code : written}). Pass values for it with the option values.`,
      );
  }
  return isRunnable;
}

function classOf({ pair, setting, unchecked }: RunPair, findings: Findings): ReleaseClass {
  const { table, old, new: newer } = pair;
  const nameOf = (model: EntityModel | undefined): string | undefined => model?.name;
  const statusOf = (model: EntityModel | undefined, release: "old" | "new", names: readonly string[]) =>
    names
      .map((name) => findings.statusOf(model?.name ?? "", release, name))
      .find((status) => status !== "seen") ?? "seen";
  return {
    table,
    kind: newer?.kind?.name ?? old?.kind?.name,
    old: nameOf(old),
    new: nameOf(newer),
    unchecked,
    properties: (setting?.groups ?? []).map((group) => {
      const names = { old: group.old.map(({ name }) => name), new: group.new.map(({ name }) => name) };
      return {
        ...names,
        oldSees: statusOf(old, "old", names.old),
        newSees: statusOf(newer, "new", names.new),
      };
    }),
  };
}

function randomOf(seed: number): SimulatedRandom {
  const next = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, oneOf: <Value>(list: readonly Value[]) => list[below(list.length)] as Value };
}
