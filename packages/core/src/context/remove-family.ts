import type { StoredEntity } from "../edm/stored-entity.ts";
import { ModelError } from "../errors/model-error.ts";
import { exactly, startingWith } from "../keys/text-range.ts";
import { type KindChooser, kindChooser } from "../materialize/choose-kind.ts";
import { keyOfStored } from "../materialize/decode-entity.ts";
import { childModelOf } from "../model/children.ts";
import type { EntityModel } from "../model/entity-model.ts";
import type { QueryPlan } from "../query/query-plan.ts";
import { runPlan } from "../query/run-plan.ts";
import type { RequestOptions, TableStorage } from "../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** What a cascade works with. */
export interface FamilySource {
  readonly storage: TableStorage;
  readonly tracker: ChangeTracker;
  /** Tracks the entity of a row that was asked for at `readAt`. */
  readonly take: (model: EntityModel, row: StoredEntity, readAt: number) => object | undefined;
}

/**
 * Marks an entity and everything below it to be deleted: its children, theirs, and those that were only added here. One
 * range of keys is read.
 *
 * @returns how many entities are to be deleted
 */
export async function removeFamily(
  { storage, tracker, take }: FamilySource,
  parent: TrackedEntity,
  options: RequestOptions,
): Promise<number> {
  const { model, key } = parent;
  const below = descendantsOf(model);
  const prefix = key.rowKey + (below[0] as EntityModel).rowKey.separator;
  const chooser = kindChooser([model, ...below].map(({ entityClass }) => entityClass));
  const family = new Set<object>();
  for (const { entity, model: other, key: own } of tracker.entities.values()) {
    const isBelow = own.partitionKey === key.partitionKey && own.rowKey.startsWith(prefix);
    if (isBelow && below.includes(other)) family.add(entity);
  }
  const pages = runPlan(storage, planBelow(parent, prefix), undefined, {
    ...options,
    isEager: true,
    now: () => tracker.clock,
    check: (row) => kindBelow(chooser, below, row) !== undefined,
  });
  for await (const { rows, readAt } of pages)
    for (const row of rows) {
      const kind = kindBelow(chooser, below, row) as EntityModel;
      const tracked = tracker.entities.ofKey(kind, keyOfStored(row));
      const entity = tracked?.entity ?? take(kind, row, readAt);
      if (entity !== undefined) family.add(entity);
    }
  family.add(parent.entity);
  // An upsert that was not sent yet is given up; everything else is removed by the next save.
  for (const entity of family) {
    if (tracker.entities.ofEntity(entity)?.intent.type === "upsert") tracker.detach(entity);
    else tracker.remove(entity);
  }
  return family.size;
}

/** Every kind that may be below a parent. @throws ModelError `model.children` when there is none */
function descendantsOf(model: EntityModel): EntityModel[] {
  const found = new Set<EntityModel>();
  const visit = (parent: EntityModel): void => {
    for (const { property } of parent.children) {
      const child = childModelOf(parent, property);
      if (found.has(child)) continue;
      found.add(child);
      visit(child);
    }
  };
  visit(model);
  if (found.size > 0) return [...found];
  throw new ModelError(
    "model.children",
    `removeFamily() takes an entity whose class declares children, and ${model.name} declares none. Use remove(), or declare them with @Children or the children of defineEntity.`,
    { entity: model.name },
  );
}

/** Rows of other kinds that happen to begin with the same key are left alone. */
function kindBelow(
  chooser: KindChooser,
  below: readonly EntityModel[],
  row: StoredEntity,
): EntityModel | undefined {
  const model = chooser.choose(row);
  return model !== undefined && below.includes(model) ? model : undefined;
}

/** The one range that holds everything below a parent. */
function planBelow({ model, key }: TrackedEntity, prefix: string): QueryPlan {
  const bounds = { partitionKey: exactly(key.partitionKey), rowKey: startingWith(prefix) };
  const type = "row range scan";
  const request = { type, bounds, filter: undefined, needsCheck: false, rest: [] } as const;
  return { table: model.table, requests: [request], type, missing: [] };
}
