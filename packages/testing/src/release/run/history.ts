// One history in one storage: the last written value of each row and property, and whether both releases see it.

import type { TableContext } from "@partita/core";
import type { ReleaseAct, ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import type { Baselines } from "./baselines.ts";
import { type Found } from "./findings.ts";
import { IndexProbe } from "./index-probe.ts";
import { isAbsent, isSame, type PairSetting, releases, type SettingGroup, valuesOf } from "./pair-setting.ts";
import { statusOfError } from "./status-of-error.ts";
import type { RowView, View } from "./side.ts";

/** The last write of a group of properties in one row. */
interface LastWrite {
  readonly writer: ReleaseName;
  readonly values: PlainValues;
}

type RowState = Map<SettingGroup, LastWrite>;

export class History {
  readonly acts: ReleaseAct[] = [];
  readonly setting: PairSetting;
  readonly #baselines: Baselines;
  readonly #indexes: IndexProbe;
  /** Undefined for a deleted row. */
  readonly #rows = new Map<number, RowState | undefined>();

  constructor(setting: PairSetting, baselines: Baselines, indexes: IndexProbe = new IndexProbe(setting)) {
    this.setting = setting;
    this.#baselines = baselines;
    this.#indexes = indexes;
  }

  isStored(row: number): boolean {
    return this.#rows.get(row) !== undefined;
  }

  /** Records a stored write. */
  note(act: ReleaseAct): void {
    this.acts.push(act);
    const { release: writer, act: kind, row, values = {} } = act;
    if (kind === "removes") return void this.#rows.set(row, undefined);
    const isNew = kind === "inserts" || kind === "copies";
    const state: RowState = isNew ? new Map() : (this.#rows.get(row) ?? new Map());
    for (const group of this.setting.groups) {
      const isWritten = group[writer].some(({ name }) => Object.hasOwn(values, name));
      if (isNew || isWritten) state.set(group, { writer, values: valuesOf(group, writer, values) });
    }
    this.#rows.set(row, state);
  }

  /** Finds values that either release sees differently than they were last written. */
  async check(open: () => TableContext): Promise<readonly Found[]> {
    const found: Found[] = [];
    for (const reader of releases) {
      const views: RowView[] = [];
      for (const [row, state] of this.#rows) {
        const key = this.setting.rows[row - 1]?.[reader] ?? {};
        const view = await this.setting.sides[reader].view(open(), key);
        views.push({ row, view });
        found.push(...(await this.#findingsIn(reader, state, view)));
      }
      found.push(...(await this.#indexes.findings(reader, open, views)));
    }
    return found;
  }

  async #findingsIn(reader: ReleaseName, state: RowState | undefined, view: View): Promise<Found[]> {
    if (state === undefined) return view.type === "entity" ? [this.#found(reader, { status: "lost" })] : [];
    if (view.type === "none") return [this.#found(reader, { status: "lost" })];
    if (view.type === "error") {
      if (await this.#isKnownError(reader, state, view.code)) return [];
      const { code, property } = view;
      return [
        this.#found(reader, {
          status: statusOfError(code),
          code,
          ...(property !== undefined && { property }),
        }),
      ];
    }
    const found: Found[] = [];
    for (const [group, last] of state) {
      const seen = valuesOf(group, reader, view.values);
      if (group[reader].length === 0 || (await this.#isSeen(reader, group, last, seen))) continue;
      const property =
        group[reader].find(({ name }) => isChanged(seen, name, last.values)) ?? group[reader][0];
      const status = isAbsent(seen) && !isAbsent(last.values) ? "undefined" : "lost";
      found.push(this.#found(reader, { status, property: property?.name ?? "" }));
    }
    return found;
  }

  /**
   * Whether the value is the same as in a row that was inserted with these values, or has the same meaning for the
   * writer.
   */
  async #isSeen(
    reader: ReleaseName,
    group: SettingGroup,
    last: LastWrite,
    seen: PlainValues,
  ): Promise<boolean> {
    const { writer, values } = last;
    const expected = await this.#baselines.seenBy(reader, writer, group, values);
    if (expected === undefined || isSame(expected, seen)) return true;
    if (reader === writer) return false;
    const [meant, written] = [
      await this.#baselines.seenBy(writer, reader, group, seen),
      await this.#baselines.seenBy(writer, writer, group, values),
    ];
    return meant !== undefined && isSame(meant, written);
  }

  /** Whether a new row with one of these values is unreadable too: this was found before any history. */
  async #isKnownError(reader: ReleaseName, state: RowState, code: string): Promise<boolean> {
    for (const [group, { writer, values }] of state) {
      const { views } = await this.#baselines.of(writer, group, values);
      const view = views[reader];
      if (view.type === "error" && view.code === code) return true;
    }
    return false;
  }

  #found(reader: ReleaseName, found: Pick<Found, "status"> & Partial<Found>): Found {
    const { sides, table } = this.setting;
    return { table, entity: sides[reader].model.name, reader, ...found };
  }
}

const isChanged = (seen: PlainValues, name: string, written: PlainValues): boolean =>
  !isSame(seen[name], written[name]);
