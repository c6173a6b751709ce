// What both releases see of a row that one of them has just inserted: what the two models say of each other before any history.
// Later writes must be seen in the same way.

import type { TableStorage } from "@partita/core";
import type { ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import { clearTables, openContext } from "./lab.ts";
import { type PairSetting, type SettingGroup, textOf, valuesOf } from "./pair-setting.ts";
import type { View, Written } from "./side.ts";

/** What became of an insert, and what each release sees of it. */
export interface Baseline {
  readonly written: Written;
  /** The values of the entity that was inserted. */
  readonly values: PlainValues;
  readonly views: Readonly<Record<ReleaseName, View>>;
}

/** Inserts rows into a storage of its own, each value once. */
export class Baselines {
  readonly #setting: PairSetting;
  readonly #storage: TableStorage;
  readonly #known = new Map<string, Promise<Baseline>>();

  constructor(setting: PairSetting, storage: TableStorage) {
    this.#setting = setting;
    this.#storage = storage;
  }

  /** A row that a release inserts with these values of a group; all other properties have their usual values. */
  of(writer: ReleaseName, group: SettingGroup, values: PlainValues): Promise<Baseline> {
    return this.#once(`${writer} ${this.#setting.groups.indexOf(group)} ${textOf(values)}`, writer, values);
  }

  /** A row that a release inserts with the usual values of all properties. */
  usual(writer: ReleaseName): Promise<Baseline> {
    return this.#once(writer, writer, {});
  }

  #once(id: string, writer: ReleaseName, values: PlainValues): Promise<Baseline> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const all = { ...usualValues(this.#setting, writer), ...values };
    const asked = this.#queue.then(() => this.#ask(writer, all));
    this.#queue = asked.catch(() => undefined);
    this.#known.set(id, asked);
    return asked;
  }

  /** One after another: all use one row. */
  #queue: Promise<unknown> = Promise.resolve();

  /** What one release sees of a value that the other inserts; undefined where it reads no entity. */
  async seenBy(
    reader: ReleaseName,
    writer: ReleaseName,
    group: SettingGroup,
    values: PlainValues,
  ): Promise<PlainValues | undefined> {
    const { written, views } = await this.of(writer, group, values);
    const view = views[reader];
    return written === "done" && view.type === "entity" ? valuesOf(group, reader, view.values) : undefined;
  }

  async #ask(writer: ReleaseName, values: PlainValues): Promise<Baseline> {
    const { sides, rows, table } = this.#setting;
    const key = rows[0] as (typeof rows)[number];
    let built: PlainValues = {};
    const written = await sides[writer].insert(openContext(this.#storage), key[writer], values, (each) => {
      built = each;
    });
    const views = {
      old: await sides.old.view(openContext(this.#storage), key.old),
      new: await sides.new.view(openContext(this.#storage), key.new),
    };
    await clearTables(this.#storage, [table]);
    return { written, values: built, views };
  }
}

/** The first values of all groups. */
export const usualValues = ({ groups }: PairSetting, release: ReleaseName): PlainValues =>
  Object.assign({}, ...groups.map(({ values }) => values[release][0] ?? {})) as PlainValues;
