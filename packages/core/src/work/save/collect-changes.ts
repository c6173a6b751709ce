// `save-changes.ts` calls this file after hooks have run. It computes the change set of every pending entity, with
// its index rows, and validates the entities; what is sent is fixed from then on.

import { isError } from "../../values/errors/built-ins.ts";
import { runInside } from "../unit-of-work/hooks.ts";
import { refused } from "../recovery/unsent-results.ts";
import { changeSetOf, type PendingEntity } from "../unit-of-work/change-set.ts";
import { lostChildren, mayBeUndeclared, undeclaredError } from "../unit-of-work/check-undeclared.ts";
import { withIndexRows } from "../unit-of-work/index-rows.ts";
import { lowered } from "../unit-of-work/lower-change.ts";
import { systemNames } from "../unit-of-work/state-errors.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import type { FailedResult } from "../unit-of-work/save-result.ts";
import { type ChangeSet, noteFailure } from "../unit-of-work/tracked-entity.ts";
import { invalidSave } from "./describe-save.ts";
import { fillOnSave } from "./fill-on-save.ts";
import { findReady, type Save } from "./save-state.ts";
import { validated } from "./validate-entities.ts";

/** Computes the changes, and validates all of them. After this, the changes to send are fixed. */
export function collectChanges(save: Save): void | Promise<void> {
  const { validators, context } = save.source;
  if (validators === undefined || validators.length === 0) {
    save.changes = changesOf(save, save.ready);
    return undefined;
  }
  return runInside(context, async () => {
    // After validators ran, any entity may have changed.
    save.changes = await validated(
      (isFirst) => changesOf(save, isFirst ? save.ready : findReady(save, true)),
      validators,
    );
  });
}

/** @throws SaveError `save.invalid` listing every entity that cannot be stored; nothing is sent then */
function changesOf(save: Save, pending: readonly PendingEntity[]): ChangeSet[] {
  const { tracker, undeclared } = save.source;
  const changes: ChangeSet[] = [];
  // Whether the parent itself is changed or not.
  const problems = [...save.search.parents()].flatMap((entry) => {
    const error = lostChildren(entry, undeclared, tracker);
    return error === undefined ? [] : [refused(entry, error)];
  });
  for (const { entry, error } of save.search.problems) problems.push(refused(entry, error));
  for (const one of pending) {
    const { entry } = one;
    try {
      const change = changeOf(save, one);
      if (change !== undefined) changes.push(change);
    } catch (error) {
      if (!isError(error)) throw error;
      noteFailure(entry, error);
      problems.push(refused(entry, error));
    }
  }
  // In a large context, looking at each entity once more would double the time of the search.
  const { entities, isExplicit } = tracker;
  if (!isExplicit && !save.search.isScoped && entities.size <= mostChecked)
    problems.push(...misspelt(save, pending));
  if (problems.length > 0)
    throw invalidSave(
      problems,
      changes.map(({ entry }) => entry),
    );
  return changes;
}

/** The number of entities up to which unchanged ones are checked. */
const mostChecked = 100;

/** Unchanged entities with an undeclared property: its name may be that of a declared one, misspelt. */
function misspelt({ source }: Save, pending: readonly PendingEntity[]): FailedResult[] {
  const found: FailedResult[] = [];
  for (const entry of source.tracker.entities.values()) {
    if (entry.intent.type !== "none" || !mayBeUndeclared(entry)) continue;
    const error = undeclaredError(entry, source.undeclared);
    if (error === undefined || pending.some((each) => each.entry === entry)) continue;
    noteFailure(entry, error);
    found.push(refused(entry, error));
  }
  return found;
}

/** The change to send for an entity, its index rows included; undefined if nothing changed. */
function changeOf(save: Save, pending: PendingEntity): ChangeSet | undefined {
  const { source, options, before } = save;
  const { entry } = pending;
  const { update } = options;
  const { savedFills } = entry.model;
  const filled = savedFills === undefined ? pending : fillOnSave(save, pending, savedFills);
  // Also what hooks, validators and fills have assigned.
  if (entry.model.options.scopedBy !== undefined && entry.intent.type !== "remove")
    source.tracker.scope.check(entry);
  // Before a required property is missing, since its name may be misspelt.
  const undeclared = entry.intent.type === "remove" ? undefined : undeclaredError(entry, source.undeclared);
  if (undeclared !== undefined) throw undeclared;
  const change = changeSetOf(filled, { update, isExplicit: source.tracker.isExplicit });
  if (change === undefined) return undefined;
  if (change.after !== undefined) {
    if (!Object.isExtensible(entry.entity))
      checkAssignable(entry.entity, entry.model, entry.key, "The save", systemNames);
  }
  const isAlone = entry.model.indexes.length === 0 && !entry.isUnread;
  const sent = entry.model.version?.isShared === true ? lowered(change) : change;
  return isAlone ? sent : withIndexRows(sent, before.get(entry));
}
