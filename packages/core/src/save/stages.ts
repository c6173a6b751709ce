import { mustReadBefore } from "../unit-of-work/companions.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import { announce } from "./announcing.ts";
import { checkUniqueIndexes } from "./check-unique-indexes.ts";
import { collectChanges } from "./collect-changes.ts";
import { groupChanges, identifyBatches } from "./group-changes.ts";
import { learnVersions, readIndexedRows } from "./learn-rows.ts";
import { isInDoubt, keepEarlierOut, resolveEarlier } from "./lost-responses.ts";
import { runSavingHooks } from "./run-hooks.ts";
import type { Save } from "./save.ts";
import { sendBatches } from "./send-batches.ts";

/** A step of a save. */
interface Stage {
  /** Whether a save has to take it; every save does when absent. */
  readonly isNeeded?: (save: Save) => boolean;
  readonly run: (save: Save) => void | Promise<void>;
}

const isAny =
  (isMeant: (entry: TrackedEntity) => boolean) =>
  ({ ready }: Save): boolean =>
    ready.some(({ entry }) => isMeant(entry));

const isWithoutVersion = ({ etag, values, intent }: TrackedEntity): boolean =>
  etag === undefined && (values !== undefined || intent.type === "remove");

const learning: Stage = {
  isNeeded: isAny(isWithoutVersion),
  run: (save) => learnVersions(save, isWithoutVersion),
};

const isUnknownToIndexes = (entry: TrackedEntity): boolean =>
  entry.model.indexes.length > 0 && mustReadBefore(entry);

const sendsMessages = ({ changes }: Save): boolean => changes.some(({ messages }) => messages !== undefined);

const isIdentified = (save: Save): boolean =>
  save.changes.some(({ entry }) => entry.model.options.proof === "marker") || sendsMessages(save);

/** The steps of a save in their order. Most saves need only those without a condition. */
export const stages: readonly Stage[] = [
  { isNeeded: isAny(({ model }) => model.indexes.length > 0), run: checkUniqueIndexes },
  { isNeeded: isInDoubt, run: resolveEarlier },
  learning,
  { isNeeded: ({ source }) => source.hooks.saving !== undefined, run: runSavingHooks },
  // A hook may have deleted an entity whose version is not known.
  learning,
  { isNeeded: isInDoubt, run: keepEarlierOut },
  {
    isNeeded: isAny(isUnknownToIndexes),
    run: (save) => readIndexedRows(save, isUnknownToIndexes),
  },
  { run: collectChanges },
  { run: groupChanges },
  { isNeeded: sendsMessages, run: announce },
  { isNeeded: isIdentified, run: identifyBatches },
  { run: sendBatches },
];
