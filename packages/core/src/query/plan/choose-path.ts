// `planned-query.ts` calls `choosePath` after it has planned a query over the class's own keys. It plans the same
// query over each declared index and takes the cheapest plan with the same results and order.

import type { KindChooser } from "../../model/codec/choose-kind.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { nearestName } from "../../values/errors/nearest-name.ts";
import { layoutNames } from "../../model/codec/row-layout.ts";
import { type FilterNode, namesIn } from "../../values/filter/filter-node.ts";
import { mainRowKeyPart, prefixOf, primaryPath } from "../../model/declaration/build-indexes.ts";
import {
  type EntityModel,
  findIndex,
  type IndexModel,
  propertiesNamed,
} from "../../model/declaration/entity-model.ts";
import type { KnownIndexState } from "../../model/schema/index-states.ts";
import { isList, type NormalNode } from "../build/predicate-node.ts";
import { planQuery } from "./plan-query.ts";
import {
  type PlannedKind,
  type QueryPath,
  type QueryPlan,
  type QueryType,
  type UnusedIndex,
  worse,
} from "./query-plan.ts";
import type { Conditions } from "./conditions.ts";
import { isCompleteOf } from "./merge-ranges.ts";

/** The parts of a query that the choice of an index depends on. */
export interface PathQuery {
  readonly chooser: KindChooser;
  readonly conditions: Conditions;
  readonly raw: FilterNode | undefined;
  /** The requested index; undefined to choose. */
  readonly asked: string | undefined;
  /** The properties that are needed of each row; undefined: all of them. */
  readonly needed: ReadonlySet<string> | undefined;
  /** Whether rows have to be read in their current state, with their ETag. */
  readonly isFresh: boolean;
  /** The kinds to plan, over the rows that represent each class. */
  readonly kindsOver: (rowsOf: (model: EntityModel) => EntityModel) => readonly PlannedKind[];
  /** Whether an index has been built, as far as that is known. */
  readonly stateOf: (model: EntityModel, index: IndexModel) => KnownIndexState;
}

/** Plans a query over the index that it asks for. @throws QueryError `query.unknown-index`, `index.not-built` */
export const planOverNamed = (query: PathQuery, name: string): QueryPlan =>
  planOver(query, indexNamed(query, name));

/**
 * The plan over the keys of a class, or one over an index that costs less. An index is chosen without a request only
 * if conditions fix all of its parts, so entities come in the order of their own keys, as without it; and if it has
 * all needed properties, or the result is one entity.
 *
 * @param plan - over the keys of the class
 */
export function choosePath(query: PathQuery, plan: QueryPlan): QueryPlan {
  const { asked, chooser } = query;
  const names = new Set(chooser.models.flatMap((model) => ownIndexes(model).map(({ name }) => name)));
  const own = costOf(chooser, plan);
  const others: QueryPlan[] = [];
  const unused: UnusedIndex[] = [];
  for (const name of names) {
    const indexes = indexesOf(chooser, name);
    if (indexes === undefined || isRetired(indexes)) continue;
    const other = planOver(query, indexes);
    const cost = costOf(chooser, other);
    if (cost === own || worse(own, cost) !== own) continue;
    const state = stateOfAll(query, indexes);
    if (isUsable(state)) others.push(other);
    else unused.push({ index: name, reason: whyUnused(state) });
  }
  const mayChoose = (other: QueryPlan): boolean =>
    asked === undefined &&
    fixesAll(query, other) &&
    (other.path?.reads === "copies" || other.type === "point");
  const [best] = others.filter(mayChoose).toSorted(byCost);
  if (best !== undefined) return best;
  const alternatives = others.toSorted(byCost).map(({ path }) => path?.index as string);
  return {
    ...plan,
    ...(alternatives.length > 0 && { alternatives }),
    ...(unused.length > 0 && { unused }),
  };
}

/**
 * The type of a plan; if keys have a common prefix, even that of a kind, the range that holds all of them is as good
 * as their partition.
 */
function costOf({ models }: KindChooser, { requests, type, path }: QueryPlan): QueryType {
  const prefixes = models.map((model) =>
    path === undefined ? prefixOf(model.rowKey) : findIndex(model, path.index)?.prefix,
  );
  const isComplete = requests.every(({ bounds: { rowKey } }) =>
    prefixes.some((prefix) => isCompleteOf(rowKey, prefix)),
  );
  return isComplete ? worse(type, "partition scan") : type;
}

const byCost = (a: QueryPlan, b: QueryPlan): number =>
  a.type === b.type ? a.requests.length - b.requests.length : worse(a.type, b.type) === a.type ? 1 : -1;

type IndexesOfKinds = ReadonlyMap<EntityModel, IndexModel>;

/** The index of this name in each requested class; undefined if one of them has no index of the name. */
function indexesOf({ models }: KindChooser, name: string): IndexesOfKinds | undefined {
  const found = new Map<EntityModel, IndexModel>();
  for (const model of models) {
    const index = findIndex(model, name);
    if (index === undefined || index.former !== undefined) return undefined;
    found.set(model, index);
  }
  return found;
}

/** The indexes that queries of this release may use. */
const ownIndexes = ({ indexes }: EntityModel): readonly IndexModel[] =>
  indexes.filter(({ former }) => former === undefined);

/** The state of an index that several classes have: of the first that is not ready. */
function stateOfAll({ stateOf }: PathQuery, indexes: IndexesOfKinds): KnownIndexState {
  const states = [...indexes].map(([model, index]) => stateOf(model, index));
  return states.find((state) => !isUsable(state)) ?? "ready";
}

/** Whether a class declares that the index is retired. */
const isRetired = (indexes: IndexesOfKinds): boolean =>
  [...indexes.values()].some(({ state }) => state === "retired");

/** An index with a state that was not read yet counts as ready: storage is asked for it before rows are read. */
const isUsable = (state: KnownIndexState | undefined): boolean => state === "ready" || state === "unread";

/** Why an index is not used, as the end of a sentence about it. */
const whyUnused = (state: KnownIndexState | undefined): string =>
  state === "awaited"
    ? "is read only if every supported release writes it"
    : state === "unreadable"
      ? 'may not be built: these credentials may not read its state in the table PartitaSchema (with indexStates: "declared", the class declares it)'
      : "has not been built (partita index build, or buildIndex)";

function indexNamed(query: PathQuery, name: string): IndexesOfKinds {
  const { chooser } = query;
  const entity = chooser.models.map((model) => model.name).join(" | ");
  const known = [...new Set(chooser.models.flatMap(({ indexes }) => indexes.map((index) => index.name)))];
  const found = indexesOf(chooser, name);
  if (found === undefined) {
    const meant = nearestName(name, known);
    throw new QueryError(
      "query.unknown-index",
      `${entity} has no index ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`} Known: ${[primaryPath, ...known].join(", ")}.`,
      { entity, index: name },
    );
  }
  if (isRetired(found))
    throw new QueryError(
      "query.unknown-index",
      `The index ${name} of ${entity} is declared as retired: its rows are no longer written, and no query reads them. Query without via("${name}"), or remove the state from its declaration and build it again.`,
      { entity, index: name },
    );
  const state = stateOfAll(query, found);
  if (!isUsable(state))
    throw new QueryError(
      "index.not-built",
      `The index ${name} of ${entity} ${whyUnused(state)}, so it may lack rows of older entities.`,
      { entity, index: name, state },
    );
  return found;
}

/** Plans the query over an index's keys. */
function planOver(query: PathQuery, indexes: IndexesOfKinds): QueryPlan {
  const { chooser, raw } = query;
  const rowsOf = (model: EntityModel): EntityModel => indexes.get(model)?.rows ?? model;
  const kinds = chooser.kinds.flatMap((kind) => findIndex(kind, nameOf(indexes))?.rows ?? []);
  const isOfCopies = isAnsweredByCopies(raw, indexes);
  const plan = planQuery(
    { ...chooser, models: chooser.models.map(rowsOf), kinds, reservedPrefixes: [] },
    query.kindsOver(rowsOf),
    isOfCopies ? raw : undefined,
  );
  const reads = isOfCopies && canReadCopies(query, indexes) ? "copies" : "rows";
  const path: QueryPath = { index: nameOf(indexes), reads };
  if (reads === "copies") return { ...plan, path };
  // The entities' own rows decide whether they match.
  const requests = plan.requests.map((request) => ({ ...request, needsCheck: true, isReread: true }));
  return { ...plan, requests, path };
}

const nameOf = (indexes: IndexesOfKinds): string => [...indexes.values()][0]?.name ?? primaryPath;

/** Whether a filter in the service's words is true of an index's rows where it is true of the entities' own. */
function isAnsweredByCopies(raw: FilterNode | undefined, indexes: IndexesOfKinds): boolean {
  const names = namesIn(raw);
  return [...indexes].every(([model, { copy, isUnique }]) => {
    const ownNames = ["RowKey", "Timestamp", ...layoutNames(model)];
    return (
      raw === undefined || (copy === "all" && !isUnique && !names.some((name) => ownNames.includes(name)))
    );
  });
}

/** Whether an index's own rows have all that is needed. */
function canReadCopies({ needed, isFresh, chooser }: PathQuery, indexes: IndexesOfKinds): boolean {
  if (isFresh) return false;
  const all = [...indexes.keys(), ...chooser.kinds];
  return all.every((model) => {
    const index = findIndex(model, nameOf(indexes));
    // Copies have no ETag and no Timestamp of the entity's own row.
    const hasSystemValues = model.etagProperty !== undefined || model.timestampProperty !== undefined;
    if (index === undefined || index.isUnique || hasSystemValues) return false;
    if (index.copy === "all") return true;
    if (needed === undefined) return false;
    const copied = new Set(index.copied.map((at) => model.properties[at]));
    const isCopied = (name: string): boolean => {
      const stored = propertiesNamed(model, name);
      return stored.length > 0 && stored.every((property) => copied.has(property));
    };
    const isKey = (name: string): boolean => model.keyProperties.some((property) => property.name === name);
    return [...needed].every((name) => isCopied(name) || isKey(name));
  });
}

/** Whether conditions fix every part of an index that comes before the entity's own RowKey. */
function fixesAll({ chooser, conditions }: PathQuery, { path }: QueryPlan): boolean {
  return chooser.models.every((model) => {
    const index = findIndex(model, path?.index);
    const fixed = new Set(equalities(conditions.for(model)));
    return index?.rowKey.parts.every(
      ({ property, format }) =>
        format.literal !== undefined || property === mainRowKeyPart || fixed.has(property),
    );
  });
}

/** Properties that must equal one value. */
function equalities(node: NormalNode | undefined): (string | undefined)[] {
  if (node === undefined) return [];
  if (isList(node)) return node.type === "and" ? node.nodes.flatMap(equalities) : [];
  return node.type === "compare" && node.op === "eq" ? [node.property] : [];
}
