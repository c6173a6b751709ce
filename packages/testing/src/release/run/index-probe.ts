// Compares the results of a release's indexes with those of keys.

import { QueryError, type TableContext } from "@partita/core";
import type { IndexModel } from "@partita/core/models";
import type { ReleaseName } from "../release-report.ts";
import type { PlainValues } from "../sides/value-pools.ts";
import type { Found } from "./findings.ts";
import { isSame, type PairSetting, textOf } from "./pair-setting.ts";
import { plainOf, type RowView, type Side, viewOfError } from "./side.ts";

export class IndexProbe {
  readonly #setting: PairSetting;
  /** Indexes that a release does not read. */
  readonly #unread = new Set<IndexModel>();

  constructor(setting: PairSetting) {
    this.#setting = setting;
  }

  async findings(reader: ReleaseName, open: () => TableContext, views: readonly RowView[]): Promise<Found[]> {
    const side = this.#setting.sides[reader];
    const { table } = this.#setting;
    const found: Found[] = [];
    for (const index of side.model.indexes) {
      if (index.isUnread || index.state === "retired" || this.#unread.has(index)) continue;
      const seen = await this.#entitiesIn(side, index, open());
      if (seen === undefined || this.#isComplete(side, index, seen, views)) continue;
      found.push({ table, entity: side.model.name, reader, index: index.name, status: "not maintained" });
    }
    return found;
  }

  /** Plain entities, or `"unreadable"` for a row of the index; undefined if the release does not read the index. */
  async #entitiesIn(
    { model }: Side,
    index: IndexModel,
    context: TableContext,
  ): Promise<readonly PlainValues[] | "unreadable" | undefined> {
    try {
      const query = context.query(model.entityClass).via(index.name as never);
      return (await query.scan().mergeOption("noTracking").toArray()).map(plainOf);
    } catch (error) {
      if (!QueryError.is(error) && !viewOfError(error).code.startsWith("index.")) return "unreadable";
      this.#unread.add(index);
      return undefined;
    }
  }

  #isComplete(
    side: Side,
    index: IndexModel,
    seen: readonly PlainValues[] | "unreadable",
    views: readonly RowView[],
  ): boolean {
    // If a row cannot be read by its key, its index row cannot be compared.
    if (views.some(({ view }) => view.type === "error")) return true;
    if (seen === "unreadable") return false;
    const names = comparedNames(side, index);
    const expected = views.flatMap(({ view }) =>
      view.type === "entity" && isIn(index, view.values) ? [pick(view.values, names)] : [],
    );
    const sorted = (list: readonly PlainValues[]): string[] => list.map(textOf).toSorted();
    return isSame(sorted(seen.map((each) => pick(each, names))), sorted(expected));
  }
}

/** The properties that are compared: the key, and those that the index copies. */
function comparedNames({ model }: Side, { copy, copied, isUnique }: IndexModel): readonly string[] {
  const keys = model.keyProperties.map(({ name }) => name);
  if (isUnique || copy === "none") return keys;
  const names = copied.map((at) => model.properties[at]?.name.split(".")[0] ?? "");
  return [...keys, ...new Set(names)];
}

/** An index contains the entities with a value for each of its parts. */
const isIn = ({ rowKey }: IndexModel, values: PlainValues): boolean =>
  rowKey.parts.every(
    ({ property }) =>
      property === undefined || property.startsWith("\0") || valueAt(values, property) !== undefined,
  );

const valueAt = (values: PlainValues, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as PlainValues | undefined)?.[name], values);

const pick = (values: PlainValues, names: readonly string[]): PlainValues =>
  Object.fromEntries(names.map((name) => [name, values[name]]));
