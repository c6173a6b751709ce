import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { ModelError } from "../../values/errors/model-error.ts";
import { StateError } from "../../values/errors/state-error.ts";
import { exactly, startingWith } from "../../values/keys/text-range.ts";
import { type CheckedRow, kindChooser } from "../../model/codec/choose-kind.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { childModelOf, parentKeyOf } from "../../model/declaration/child-model.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { withKindsBelow } from "../../query/plan/plan-include.ts";
import type { QueryPlan } from "../../query/plan/query-plan.ts";
import { runPlan } from "../../query/run/run-plan.ts";
import { abortSignal } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import { inFlight, wrongState } from "../unit-of-work/state-errors.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { entitiesOnly } from "../../model/codec/unreadable-row.ts";
import type { ContextParts } from "./context-parts.ts";

const checkOptions: CheckOptions = defineOptions<Pick<RequestOptions, "signal">>(
  "removeFamily(entity, options)",
  {
    signal: abortSignal,
  },
);

/**
 * Marks an entity and all its descendants to be deleted, including those that were only added here. Each key range is
 * read once. If one of them cannot be deleted, nothing is marked. The parent is deleted last.
 *
 * @returns the number of entities to delete
 */
export async function removeFamily(
  source: ContextParts,
  parent: TrackedEntity,
  options: RequestOptions,
): Promise<number> {
  checkOptions(options);
  const { tracker } = source;
  const below = descendantsOf(parent.model);
  if (parent.intent.type === "upsert") throw wrongState(parent, "upsert", "removeFamily");
  const family = new Set<TrackedEntity>();
  for (const entry of tracker.entities.values()) {
    const isNear = entry.partitionKey === parent.partitionKey && below.includes(entry.model);
    if (isNear && hasParent(entry.model, entry.rowKey, parent)) family.add(entry);
  }
  const stored = await storedBelow(source, parent, below, options);
  for (const entry of stored) family.add(entry);
  // It may have been detached and tracked again meanwhile.
  const current = tracker.tracked(parent.entity, "removeFamily");
  for (const entry of [...family, current]) checkRemovable(entry, stored.has(entry));
  for (const { entity } of family) tracker.remove(entity);
  tracker.remove(parent.entity);
  // If they don't fit one transaction, a parent must not be deleted before its children.
  if (tracker.entities.ofEntity(parent.entity) === current) tracker.entities.moveToEnd(current);
  return family.size + 1;
}

/** The tracked entities of stored rows below a parent. */
async function storedBelow(
  { storage, tracker, reader, options: { unreadableRows = "error" } }: ContextParts,
  parent: TrackedEntity,
  below: readonly EntityModel[],
  options: RequestOptions,
): Promise<ReadonlySet<TrackedEntity>> {
  const chooser = kindChooser([parent.model, ...below].map(({ entityClass }) => entityClass));
  const scope = tracker.scope.forQuery(chooser);
  const check = (row: StoredEntity): CheckedRow | undefined => {
    if (scope?.holds(chooser, row) === false) return undefined;
    const model = chooser.choose(row);
    const isChild = model !== undefined && below.includes(model) && hasParent(model, row.RowKey, parent);
    return isChild ? { row, model } : undefined;
  };
  const pages = runPlan(storage, planBelow(parent, below), undefined, {
    ...options,
    isEager: true,
    clock: tracker,
    check,
  });
  const found = new Set<TrackedEntity>();
  const how = { merge: "appendOnly", unreadableRows: entitiesOnly(unreadableRows) } as const;
  for await (const { rows, readAt } of pages)
    for (const { row, model } of rows) {
      const key = keyOfStored(row);
      const entity =
        tracker.entities.ofKey(model, key)?.entity ?? reader.materialize({ model, row }, { ...how, readAt });
      const entry = entity && tracker.entities.ofEntity(entity);
      if (entry !== undefined) found.add(entry);
      // A row that this context removed since the request no longer exists; an unreadable one would remain in storage.
      else if (entity !== undefined || tracker.removed?.hasSince(model, key, readAt) !== true)
        throw notRemovable(model, row);
    }
  return found;
}

/** Whether the leading parts of a key are the parent's: keys of another parent's children may share the prefix. */
const hasParent = (child: EntityModel, rowKey: string, { model, key }: TrackedEntity): boolean =>
  parentKeyOf(model, child, rowKey) === key.rowKey;

/** @throws StateError for an entity that cannot be removed, before any of them is marked */
function checkRemovable(entry: TrackedEntity, isStored: boolean): void {
  const { intent, isInFlight, isInDoubt, snapshot } = entry;
  if (isInFlight) throw inFlight(entry, "removeFamily");
  const isNew = intent.type === "upsert" || (intent.type === "add" && snapshot === undefined);
  // Its row is not the one that was read, so detaching the entity would leave the row in storage.
  if (intent.type === "upsert" && !isInDoubt) throw wrongState(entry, "upsert", "removeFamily");
  if (isNew && isStored && !isInDoubt) throw wrongState(entry, "added", "removeFamily");
}

/** Every kind that may occur below a parent. @throws ModelError `model.children` if there is none */
function descendantsOf(model: EntityModel): EntityModel[] {
  const found = new Set<EntityModel>();
  const visit = (parent: EntityModel): void => {
    for (const { property } of parent.children) {
      for (const child of withKindsBelow([childModelOf(parent, property)])) {
        if (found.has(child)) continue;
        found.add(child);
        visit(child);
      }
    }
  };
  visit(model);
  if (found.size > 0) return [...found];
  throw new ModelError(
    "model.children",
    `removeFamily() takes an entity of a class with children, but ${model.name} declares none. Use remove(), or declare them with @Children or the children of defineEntity.`,
    { entity: model.name },
  );
}

/** The key ranges that contain all descendants of a parent: one for each separator of its children's keys. */
function planBelow({ model, key }: TrackedEntity, below: readonly EntityModel[]): QueryPlan {
  const type = "row range scan";
  const separators = [...new Set(below.map(({ rowKey }) => rowKey.separator))].toSorted();
  const requests = separators.map((separator) => ({
    type,
    bounds: { partitionKey: exactly(key.partitionKey), rowKey: startingWith(key.rowKey + separator) },
    filter: undefined,
    needsCheck: true,
    rest: [],
  })) as QueryPlan["requests"];
  return { table: model.table, requests, type, missing: [] };
}

function notRemovable(model: EntityModel, row: StoredEntity): StateError {
  return new StateError(
    "entity.not-removable",
    `removeFamily() cannot remove ${subjectOf(model, keyOfStored(row))} because its row cannot be read as an entity. Nothing was marked. Remove it with removeByKey(), or read it with unreadableRows: "error" to see why.`,
    { entity: model.name },
  );
}
