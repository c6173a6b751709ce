// How both releases see a row that one of them has just inserted: the differences between the models before any
// history. Later writes must be seen in the same way.

import type { TableStorage } from "@partita/core";
import type { ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import { clearTables, openContext } from "./lab.ts";
import { type PairSetting, type SettingGroup, textOf, valuesOf } from "./pair-setting.ts";
import type { View, Written } from "./side.ts";

/** The result of an insert, and how each release sees it. */
export interface Baseline {
  readonly written: Written;
  /** The values of the inserted entity. */
  readonly values: PlainValues;
  readonly views: Readonly<Record<ReleaseName, View>>;
}

/** Inserts rows into a separate storage, each value once. */
export class Baselines {
  readonly #setting: PairSetting;
  readonly #storage: TableStorage;
  readonly #known = new Map<string, Promise<Baseline>>();

  constructor(setting: PairSetting, storage: TableStorage) {
    this.#setting = setting;
    this.#storage = storage;
  }

  /** Inserts a row with these values of a group and the usual values of all other properties. */
  of(writer: ReleaseName, group: SettingGroup, values: PlainValues): Promise<Baseline> {
    return this.#once(`${writer} ${this.#setting.groups.indexOf(group)} ${textOf(values)}`, writer, values);
  }

  /** Inserts a row with the usual values of all properties. */
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

  /** One after another, since all use the same row. */
  #queue: Promise<unknown> = Promise.resolve();

  /** How one release sees a value that the other inserts; undefined if it reads no entity. */
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
