import { subjectOf } from "./encode-entity.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import { ModelError } from "../errors/model-error.ts";
import { KindError } from "../errors/kind-error.ts";
import type { EntityClass } from "../model/entity-definition.ts";
import type { EntityModel } from "../model/entity-model.ts";
import { addKind, isUnseen, kindsBelow, modelOf } from "../model/model-registry.ts";

/** The classes a query or lookup may return, and how to tell which one a row is. */
export interface KindChooser {
  readonly table: string;
  /** What was asked for: one class, or several that share a table. */
  readonly models: readonly EntityModel[];
  /** Whether rows may be skipped, because their kind is unknown. */
  readonly maySkip: boolean;
  /** The row's class; undefined to skip the row. @throws KindError for a kind that no class declares */
  choose(stored: StoredEntity): EntityModel | undefined;
}

/**
 * Prepares to tell kinds apart.
 *
 * @throws ModelError for classes that do not share a table, or two that claim one kind
 */
export function kindChooser(classes: readonly EntityClass[]): KindChooser {
  const models = withoutKindsOfListedBases(classes.map(modelOf));
  const first = models[0];
  if (first === undefined)
    throw new ModelError(
      "model.no-class",
      "A query needs at least one class. Pass an entity class, or a list of them.",
    );
  for (const model of models) checkSameTable(first, model);

  const kinds = new Map<string, EntityModel>();
  for (const model of models) {
    if (model.kind !== undefined) addKind(kinds, model);
    for (const kind of kindsBelow(model.entityClass).values()) addKind(kinds, kind);
  }
  const { table } = first;
  if (kinds.size === 0) return { table, models, maySkip: false, choose: () => first };
  // Whoever names kinds wants no others; whoever names their base wants them all.
  const wantsAll = models.some((model) => model.kind === undefined);
  const maySkip = wantsAll && first.options.unknownKind === "skip";
  const choose = (stored: StoredEntity): EntityModel | undefined => {
    const model = kindOfRow(first, kinds, stored);
    if (model === undefined && wantsAll && !maySkip) throw unknownKind(first, kinds, stored);
    return model;
  };
  return { table, models, maySkip, choose };
}

/** A base class stands for all of its kinds, so naming one beside it adds nothing. */
function withoutKindsOfListedBases(models: readonly EntityModel[]): EntityModel[] {
  const isBelow = (model: EntityModel, base: EntityModel): boolean =>
    base.kind === undefined &&
    model.kind !== undefined &&
    model.entityClass.prototype instanceof base.entityClass;
  return models.filter((model) => !models.some((base) => isBelow(model, base)));
}

function checkSameTable(first: EntityModel, model: EntityModel): void {
  const [own, other] = [first.options.kindProperty, model.options.kindProperty];
  if (model.kind !== undefined && first.kind !== undefined && own !== other)
    throw new ModelError(
      "model.other-kind-property",
      `${first.name} and ${model.name} share the table ${first.table}, but one has its kind in "${own}" and the other in "${other}". Give the table one kindProperty.`,
      { entity: first.name, other: model.name },
    );
  const isSame = model.table.toLowerCase() === first.table.toLowerCase();
  if (isSame && (model === first || (model.kind !== undefined && first.kind !== undefined))) return;
  throw new ModelError(
    isSame ? "model.no-kind" : "model.other-table",
    isSame
      ? `${first.name} and ${model.name} share the table ${first.table}, but not both have a kind to tell their rows apart. Give each a kind.`
      : `${first.name} is in table ${first.table} and ${model.name} in ${model.table}. One query reads one table: ask for them apart.`,
    { entity: first.name, other: model.name },
  );
}

/** The class of a row; undefined when it is none of these kinds. @throws KindError `kind.class-unseen` */
function kindOfRow(
  base: EntityModel,
  kinds: ReadonlyMap<string, EntityModel>,
  stored: StoredEntity,
): EntityModel | undefined {
  const name = stored[base.options.kindProperty];
  const model = typeof name === "string" ? kinds.get(name) : undefined;
  if (model?.kind !== undefined && isUnseen(model.entityClass))
    throw KindError.unseen(model.kind.name, base.name);
  return model;
}

function unknownKind(
  base: EntityModel,
  kinds: ReadonlyMap<string, EntityModel>,
  stored: StoredEntity,
): KindError {
  const { PartitionKey: partitionKey, RowKey: rowKey } = stored;
  const { kindProperty } = base.options;
  const name = stored[kindProperty];
  const found = name === undefined ? undefined : String(name);
  return KindError.unknown(subjectOf(base, { partitionKey, rowKey }), found, kindProperty, [...kinds.keys()]);
}
