// Queries and the context use the `KindChooser` of this file to decide which class a stored row belongs to. It
// compares the row's kind with the requested classes and refuses rows of other kinds.

import { perModel } from "../declaration/per-model.ts";
import { inherits } from "../../values/errors/brand.ts";
import { isEntityRow, storedKind } from "./row-layout.ts";
import { subjectOf } from "./encode-entity.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { KindError } from "../../values/errors/kind-error.ts";
import type { TableError } from "../../values/errors/table-error.ts";
import type { EntityClass } from "../declaration/entity-definition.ts";
import type { EntityModel } from "../declaration/entity-model.ts";
import type { ScannedRow } from "./scan/scanned-row.ts";
import { UnreadableRow } from "./unreadable-row.ts";
import { addKind, isUnseen, kindsBelow, modelOf } from "../declaration/model-registry.ts";

/** A row, and the class that its kind was decided to be. */
export interface CheckedRow {
  readonly row: StoredEntity;
  readonly model: EntityModel;
  /** The row itself, where it was read from its bytes: `row` parses it. */
  readonly scanned?: ScannedRow;
  /** Returned instead of the entity if the row is known to be unreadable. */
  readonly unreadable?: UnreadableRow;
}

/** A row that was found to be unreadable. */
export const unreadableRow = (model: EntityModel, row: StoredEntity, error: TableError): CheckedRow => ({
  row,
  model,
  unreadable: new UnreadableRow(model.table, row, error),
});

/** The classes a query or lookup may return, and how to decide which one a row is. */
export interface KindChooser {
  readonly table: string;
  /** The requested classes: one, or several that share a table. */
  readonly models: readonly EntityModel[];
  /** The kinds among them, and those of the bases among them. */
  readonly kinds: readonly EntityModel[];
  /** The RowKey prefixes of index rows, which are no entities. */
  readonly reservedPrefixes: readonly string[];
  /** Whether rows may be left out that neither keys nor a filter distinguish from others. */
  readonly maySkip: boolean;
  /**
   * The row's class; undefined to skip a row that is not an entity, or not wanted. @throws KindError for a kind that
   * no class declares
   */
  choose(stored: StoredEntity): EntityModel | undefined;
}

const noKinds: readonly EntityModel[] = [];

/**
 * Prepares to distinguish kinds.
 *
 * @throws ModelError for classes that do not share a table, or two that claim one kind
 */
export function kindChooser(classes: readonly EntityClass[]): KindChooser {
  if (!Array.isArray(classes))
    throw new ModelError(
      "model.no-class",
      "This takes a list of classes as its second argument: [Blog], or [Blog, Comment].",
    );
  const all = [...new Set(classes.flatMap(withKindsBelow))];
  const models = all.length === 1 ? all : withoutKindsOfListedBases(all);
  const first = models[0];
  if (first === undefined)
    throw new ModelError(
      "model.no-class",
      "A query needs at least one class. Pass an entity class, or a list of them.",
    );
  if (models.length > 1) for (const model of models) checkSameTable(first, model);

  const below = models.flatMap((model) => [...kindsBelow(model.entityClass).values()]);
  const { table } = first;
  if (below.length === 0 && models.every(({ kind }) => kind === undefined)) {
    const choose = (stored: StoredEntity): EntityModel | undefined =>
      isEntityRow(stored) ? first : undefined;
    return {
      table,
      models,
      kinds: noKinds,
      reservedPrefixes: first.reservedPrefixes,
      maySkip: false,
      choose,
    };
  }
  const kinds = new KindTable([...models.filter(({ kind }) => kind !== undefined), ...below]);
  // A query that names kinds returns only those; one that names their base returns them all.
  const base = models.find((model) => model.kind === undefined);
  const policy = base?.options.unknownKind;
  const other = base !== undefined && policy === "base" ? asBase(base) : undefined;
  const choose = (stored: StoredEntity): EntityModel | undefined => {
    if (!isEntityRow(stored)) return undefined;
    const model = kinds.of(stored, storedKind(first.options, stored));
    if (model === undefined && policy === "error") throw unknownKind(first, kinds.names, stored);
    if (model !== undefined && isUnseen(model.entityClass))
      throw KindError.unseen(model.kind?.name ?? model.name, first.name);
    return model ?? other;
  };
  // Kinds that rows do not name are distinguished here.
  const maySkip = policy === "skip" || !kinds.isStored;
  const prefixes = [...models, ...kinds.models].flatMap((model) => model.reservedPrefixes);
  const reservedPrefixes = [...new Set(prefixes)];
  return { table, models, kinds: kinds.models, reservedPrefixes, maySkip, choose };
}

/** The model of a class, and those of the kinds below it if it is a kind itself: its entities are theirs as well. */
function withKindsBelow(entityClass: EntityClass): EntityModel[] {
  const model = modelOf(entityClass);
  return model.kind === undefined ? [model] : [model, ...kindsBelow(entityClass).values()];
}

/** Kinds by what distinguishes them: the name in a property, now or formerly, or something else about the row. */
class KindTable {
  readonly #byName = new Map<string, EntityModel>();
  readonly #byTest: EntityModel[] = [];
  readonly models: readonly EntityModel[];

  /** @throws ModelError `model.kind-twice` */
  constructor(models: readonly EntityModel[]) {
    this.models = [...new Set(models)];
    for (const model of this.models) {
      for (const name of model.kind?.names ?? []) addKind(this.#byName, model, name);
      if (model.kind?.isOfKind !== undefined) this.#byTest.push(model);
    }
  }

  /** Whether every kind is stored in a property. */
  get isStored(): boolean {
    return this.#byTest.length === 0;
  }

  get names(): readonly string[] {
    return this.models.map(({ kind }) => kind?.name ?? "");
  }

  of(stored: StoredEntity, name: unknown): EntityModel | undefined {
    const named = typeof name === "string" ? this.#byName.get(name) : undefined;
    if (named?.kind?.isStored === true) return named;
    return this.#byTest.find(({ kind }) => kind?.isOfKind?.(stored));
  }
}

/** The form of a base class for rows of unknown kinds: it reads its own parts of their keys, if they have them. */
const asBase = perModel((base): EntityModel => ({ ...base, rowKey: { ...base.rowKey, isOpen: true } }));

/** A base class includes all of its kinds, so naming a kind as well adds nothing. */
function withoutKindsOfListedBases(models: readonly EntityModel[]): EntityModel[] {
  const isBelow = (model: EntityModel, base: EntityModel): boolean =>
    base.kind === undefined &&
    model.kind !== undefined &&
    inherits(model.entityClass.prototype, base.entityClass);
  return models.filter((model) => !models.some((base) => isBelow(model, base)));
}

function checkSameTable(first: EntityModel, model: EntityModel): void {
  for (const setting of ["kindProperty", "versionProperty", "proof", "outbox"] as const) {
    const [own, other] = [first.options[setting], model.options[setting]];
    if (model.kind !== undefined && first.kind !== undefined && own !== other)
      throw new ModelError(
        "model.other-settings",
        `${first.name} and ${model.name} share the table ${first.table}, but the ${setting} of one is "${own}", and of the other "${other}". Give the table a single one.`,
        { entity: first.name, other: model.name, setting },
      );
  }
  const isSame = model.table.toLowerCase() === first.table.toLowerCase();
  if (isSame && (model === first || (model.kind !== undefined && first.kind !== undefined))) return;
  throw new ModelError(
    isSame ? "model.no-kind" : "model.other-table",
    isSame
      ? `${first.name} and ${model.name} share the table ${first.table}, but not both have a kind that distinguishes their rows. Give each a kind.`
      : `${first.name} is in table ${first.table} and ${model.name} in ${model.table}. One query reads one table: query them separately.`,
    { entity: first.name, other: model.name },
  );
}

function unknownKind(base: EntityModel, names: readonly string[], stored: StoredEntity): KindError {
  const { PartitionKey: partitionKey, RowKey: rowKey } = stored;
  const name = storedKind(base.options, stored);
  const found = name === undefined ? undefined : shownKind(name);
  return KindError.unknown(
    subjectOf(base, { partitionKey, rowKey }),
    found,
    base.options.kindProperty,
    names,
    { table: base.table, partitionKey, rowKey },
  );
}

/** The kind in a row, for messages: shortened to one line. */
const shownKind = (kind: unknown): string =>
  typeof kind === "string"
    ? // oxlint-disable-next-line no-control-regex
      kind.slice(0, 80).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?")
    : `(${typeof kind})`;

/** The actual kind of a row that is not one of the requested entities, for messages. */
export const shownKindOf = ({ options }: EntityModel, stored: StoredEntity): string =>
  `row of kind "${shownKind(storedKind(options, stored) ?? "none")}"`;
