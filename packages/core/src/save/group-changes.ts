import type { Attempt } from "../recovery/attempt.ts";
import type { Ledger } from "../recovery/ledger.ts";
import { notSent, type Outcome, unlessSentBefore } from "../recovery/outcome.ts";
import { identifyWrites } from "../recovery/marker.ts";
import { messagesBeside } from "../unit-of-work/accept.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { type Batch, notAtomic, planBatches } from "./plan-batches.ts";
import type { Save } from "./save.ts";
import type { CheckedOptions } from "./save-options.ts";

/** Groups the changes into batches; without any, the save ends. @throws SaveError `save.not-atomic` */
export function groupChanges(save: Save): void {
  const { changes, options, blocked } = save;
  const isAtomic = options.batch === "atomic";
  if (changes.length === 0) save.outcomes = [];
  else if (isAtomic && blocked.size > 0) save.outcomes = abortedOutcomes(changes, blocked.size);
  else {
    save.batches = save.source.ledger.isEmpty
      ? batchesOf(options.batch, changes)
      : batchesWithGroups(save.source.ledger, options.batch, changes);
    if (isAtomic && save.batches.length > 1) throw notAtomic(save.batches, unsentResults(save));
    freeze(changes);
  }
}

/** Gives batches their markers; the first message of a batch is its marker. */
export function identifyBatches(save: Save): void {
  save.batches = identifyWrites(save.batches);
}

/** The results of changes of which none is sent. */
const unsentResults = ({ source, changes }: Save): readonly SaveResult[] =>
  unlessSentBefore(
    source.ledger,
    changes,
    changes.map((change) => notSent(change, "the changes do not fit one transaction").result),
  );

function batchesOf(mode: CheckedOptions["batch"], changes: readonly ChangeSet[]): Batch[] {
  const [first] = changes;
  // One change is one request, whatever the mode.
  if (changes.length === 1 && first !== undefined) return [{ table: first.entry.model.table, changes }];
  switch (mode) {
    case "auto":
      return planBatches(changes);
    case "none":
      return changes.map((change) => ({ table: change.entry.model.table, changes: [change] }));
    case "atomic":
      return planBatches(changes).map((batch) => ({ ...batch, isAtomic: true }));
    default:
      return mode satisfies never;
  }
}

/** The same, where atomic groups whose outcome is not known are sent again as a whole, however the others are sent. */
function batchesWithGroups(
  ledger: Ledger,
  mode: CheckedOptions["batch"],
  changes: readonly ChangeSet[],
): Batch[] {
  const groups = new Map<Attempt | undefined, ChangeSet[]>();
  for (const change of changes) {
    const group = mode === "atomic" ? undefined : ledger.groupOf(change);
    groups.set(group, [...(groups.get(group) ?? []), change]);
  }
  return [...groups].flatMap(([group, members]) => batchesOf(group === undefined ? mode : "atomic", members));
}

/** What is sent is frozen: later changes, `update()` included, count as made after this save. */
function freeze(changes: readonly ChangeSet[]): void {
  for (const change of changes) {
    const { entry } = change;
    entry.isInFlight = true;
    entry.explicitlyModified = undefined;
    if (change.messages !== undefined) entry.messages = messagesBeside(change);
  }
}

/** The outcomes of an atomic save of which some changes cannot be sent: the others are not, either. */
const abortedOutcomes = (changes: readonly ChangeSet[], count: number): Outcome[] =>
  changes.map((change) => {
    const { result } = notSent(change, `${count} other change(s) of this atomic save cannot be sent`);
    return { change, result: { ...result, aborted: true } };
  });
