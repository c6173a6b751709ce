// The first checks: how each release sees a row that the other inserts, and what happens to a value that one release
// reads and the other writes back.

import type { TableStorage } from "@partita/core";
import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import { type Baseline, type Baselines, usualValues } from "./baselines.ts";
import type { Findings, Found } from "./findings.ts";
import {
  isAbsent,
  isSame,
  otherOf,
  type PairSetting,
  releases,
  type SettingGroup,
  textOf,
  valuesOf,
} from "./pair-setting.ts";
import { clearTables, openContext } from "./lab.ts";
import { statusOfError } from "./status-of-error.ts";

/** Inserts a row under each key, by each release. */
export async function judgeKeys(
  setting: PairSetting,
  storage: TableStorage,
  findings: Findings,
): Promise<number> {
  const { rows, sides, table } = setting;
  let count = 0;
  for (const writer of releases)
    for (const row of rows) {
      const [reader, values] = [otherOf(writer), usualValues(setting, writer)];
      count++;
      const written = await sides[writer].insert(openContext(storage), row[writer], values);
      const view = await sides[reader].view(openContext(storage), row[reader]);
      if (written === "done" && view.type === "none")
        findings.add({ table, entity: sides[reader].model.name, reader, status: "key changed" }, [
          { release: writer, act: "inserts", row: 1, values: { ...row[writer], ...values } },
        ]);
      await clearTables(storage, [table]);
    }
  return count;
}

/** Inserts every value with each release. Values that the writer itself cannot store are left out from then on. */
export async function judgeInserts(
  setting: PairSetting,
  baselines: Baselines,
  findings: Findings,
): Promise<number> {
  let count = 0;
  for (const writer of releases)
    for (const group of setting.groups) {
      const values = group.values[writer];
      for (const each of values.splice(0)) {
        const baseline = await baselines.of(writer, group, each);
        count++;
        if (baseline.written !== "done") {
          const found = judgeRefusal(setting, group, writer, baseline);
          if (found !== undefined)
            findings.add(found, [{ release: writer, act: "inserts", row: 1, values: each }]);
          continue;
        }
        const isReadable = baseline.views[writer].type === "entity";
        if (isReadable) values.push(each);
        const own = judgeOwn(setting, group, writer, baseline);
        const others = isReadable ? judge(setting, group, writer, each, baseline) : undefined;
        for (const found of [own, others])
          if (found !== undefined)
            findings.add(found, [{ release: writer, act: "inserts", row: 1, values: each }]);
      }
    }
  return count;
}

/** A value without a way back to the supported version. Other refusals depend on the value alone. */
function judgeRefusal(
  { sides, table }: PairSetting,
  group: SettingGroup,
  writer: ReleaseName,
  { written }: Baseline,
): Found | undefined {
  const code = typeof written === "object" ? written.code : "";
  if (!code.startsWith("upgrade.")) return undefined;
  const [property] = group[writer];
  const entity = sides[writer].model.name;
  return { table, entity, property: property?.name ?? "", reader: writer, status: "refused", code };
}

/** Whether a release sees its own row as it wrote it. */
function judgeOwn(
  { sides, table }: PairSetting,
  group: SettingGroup,
  writer: ReleaseName,
  { values, views }: Baseline,
): Found | undefined {
  const found = { table, entity: sides[writer].model.name, reader: writer };
  const view = views[writer];
  if (view.type === "none") return { ...found, status: "lost" };
  if (view.type === "error") return { ...found, status: statusOfError(view.code), code: view.code };
  const [written, seen] = [valuesOf(group, writer, values), valuesOf(group, writer, view.values)];
  const property = group[writer].find(({ name }) => !isSame(written[name], seen[name]));
  return property && { ...found, property: property.name, status: "another value" };
}

function judge(
  { sides, table }: PairSetting,
  group: SettingGroup,
  writer: ReleaseName,
  values: PlainValues,
  { views, values: built }: Baseline,
): Found | undefined {
  const reader = otherOf(writer);
  const found = { table, entity: sides[reader].model.name, reader };
  const view = views[reader];
  if (view.type === "none") return { ...found, status: "key changed" };
  if (view.type === "error") {
    const { code, property } = view;
    const status = statusOfError(code);
    return { ...found, status, code, ...(status === "unreadable" && property !== undefined && { property }) };
  }
  const [property] = group[reader];
  if (property === undefined || isAbsent(values)) return undefined;
  const seen = valuesOf(group, reader, view.values);
  if (isAbsent(seen)) return { ...found, property: property.name, status: "undefined" };
  const isSameValue = !group.isShared || isSame(spelled(valuesOf(group, writer, built)), spelled(seen));
  return isSameValue ? undefined : { ...found, property: property.name, status: "another value" };
}

/**
 * The values without the difference between a number and its text, which types with the same name may print either way.
 */
const spelled = (values: PlainValues): readonly unknown[] =>
  Object.values(values).map((value) => (typeof value === "number" ? String(value) : value));

/**
 * Copies values that a release reads from the other's rows to new rows, and adds these values to those of histories. If
 * one old property became one new one, another spelling is the same value: `"1.5"` may return as `"1.50"`.
 */
export async function judgeCopies(
  setting: PairSetting,
  baselines: Baselines,
  findings: Findings,
): Promise<number> {
  let count = 0;
  for (const group of setting.groups) {
    if (group.isShared || group.old.length === 0 || group.new.length === 0) continue;
    for (const writer of releases)
      for (const values of group.values[writer].slice()) {
        count++;
        await judgeCopy({ setting, baselines, findings, group, writer }, values);
      }
  }
  return count;
}

interface Copying {
  readonly setting: PairSetting;
  readonly baselines: Baselines;
  readonly findings: Findings;
  readonly group: SettingGroup;
  /** The release that wrote the value first. */
  readonly writer: ReleaseName;
}

async function judgeCopy(
  { setting, baselines, findings, group, writer }: Copying,
  values: PlainValues,
): Promise<void> {
  const copier = otherOf(writer);
  const read = await baselines.seenBy(copier, writer, group, values);
  if (read === undefined || isAbsent(read)) return;
  const known = group.values[copier];
  if (!known.some((each) => isSame(each, read))) known.push(read);
  const [own, back] = [
    await baselines.seenBy(writer, writer, group, values),
    await baselines.seenBy(writer, copier, group, read),
  ];
  if (own === undefined || back === undefined || isSame(own, back)) return;
  const again = await baselines.seenBy(copier, writer, group, back);
  if (group[writer].length === 1 && again !== undefined && textOf(again) === textOf(read) && writer === "old")
    return;
  const history: ReleaseAct[] = [
    { release: writer, act: "inserts", row: 1, values },
    { release: copier, act: "copies", row: 2, values: read },
  ];
  const { table, sides } = setting;
  const property = group[writer].find(({ name }) => !isSame(own[name], back[name]))?.name ?? "";
  const status = isAbsent(back) ? "undefined" : "another value";
  // New values without an old equivalent must lose something; old values need not.
  findings.add(
    { table, entity: sides[writer].model.name, reader: writer, property, status, isLoss: writer === "old" },
    history,
  );
}
