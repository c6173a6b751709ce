// `save-changes.ts` calls this file after the changes are collected. It separates atomic groups that are still in
// doubt, lets `plan-batches.ts` split the rest into transactions, and freezes the changes.

import { notSent, type Outcome } from "../recovery/outcome.ts";
import { messagesBeside } from "../unit-of-work/accept.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { heldByFamily, inFamilyOrder } from "./family-order.ts";
import { groupsInDoubt } from "./earlier-attempts.ts";
import { notAtomic, planBatches } from "./plan-batches.ts";
import type { Write } from "../recovery/attempt.ts";
import type { Save } from "./save-state.ts";
import type { CheckedOptions } from "./save-options.ts";

/** Groups the changes into batches; without batches, the save ends. @throws SaveError `save.not-atomic` */
export function groupChanges(save: Save): void {
  const { options, blocked } = save;
  const isAtomic = options.batch === "atomic";
  const inDoubt = groupsInDoubt(save);
  const { entities } = save.source.tracker;
  if (entities.hasLists) {
    holdFamilies(save, new Set(inDoubt.flat()));
    save.changes = inFamilyOrder(save.changes, entities.lists);
  }
  const { changes } = save;
  if (changes.length === 0) save.outcomes = [];
  else if (isAtomic && blocked.size > 0) save.outcomes = abortedOutcomes(changes, blocked.size);
  else {
    const groups = isAtomic ? [] : inDoubt;
    const grouped = new Set(groups.flat());
    const others = grouped.size === 0 ? changes : changes.filter((change) => !grouped.has(change));
    save.batches = [
      ...batchesOf(save, options.batch, others),
      ...groups.flatMap((members) => batchesOf(save, "atomic", members)),
    ];
    freeze(changes);
  }
}

/** Blocks changes if the outcome for their parent or children is unknown, except groups that are sent completely. */
function holdFamilies(save: Save, grouped: ReadonlySet<ChangeSet>): void {
  const { entities } = save.source.tracker;
  const others = save.changes.filter((change) => !grouped.has(change));
  const held = heldByFamily(others, entities, save.blocked);
  if (held.size === 0) return;
  save.changes = save.changes.filter((change) => !held.has(change));
  for (const change of held) {
    const { result } = notSent(change, "an earlier write of its parent or children has an unknown outcome");
    save.blocked.set(change.entry, { entry: change.entry, result });
  }
}

const notFitting = (change: ChangeSet): SaveResult =>
  notSent(change, "the changes do not fit one transaction").result;

/** @throws SaveError `save.not-atomic` */
function batchesOf(save: Save, mode: CheckedOptions["batch"], changes: readonly ChangeSet[]): Write[] {
  const [first] = changes;
  if (first === undefined) return [];
  // One change is one request in any mode.
  if (changes.length === 1) return [{ table: first.entry.model.table, changes }];
  switch (mode) {
    case "auto":
      return planBatches(changes);
    case "none":
      return changes.map((change) => ({ table: change.entry.model.table, changes: [change] }));
    case "atomic": {
      const batches = planBatches(changes);
      if (batches.length > 1) throw notAtomic(batches, changes.map(notFitting));
      return batches.map((batch) => ({ ...batch, isAtomic: true }));
    }
    default:
      return mode satisfies never;
  }
}

/** Sent changes are frozen: later changes, including `update()`, count as made after this save. */
function freeze(changes: readonly ChangeSet[]): void {
  for (const change of changes) {
    const { entry } = change;
    entry.isInFlight = true;
    entry.explicitlyModified = undefined;
    if (change.messages !== undefined) entry.messages = messagesBeside(change);
  }
}

/** The outcomes of an atomic save if some changes cannot be sent: none of the others is sent either. */
const abortedOutcomes = (changes: readonly ChangeSet[], count: number): Outcome[] =>
  changes.map((change) =>
    notSent(change, `${count} other change(s) of this atomic save cannot be sent`, true),
  );
