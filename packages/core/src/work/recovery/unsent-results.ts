import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { FailedResult, SaveResult } from "../unit-of-work/save-result.ts";
import type { Ledger } from "./ledger.ts";
import { notSentError, stillUnknown } from "./outcome.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** The result of an entity that is not sent because others cannot be. */
export const abortedEntry = (entry: TrackedEntity): SaveResult => ({
  ...unsent(entry),
  aborted: true,
});

/** The result of an entity that is not sent at all. */
export const refused = (entry: TrackedEntity, error: Error): FailedResult => ({ ...unsent(entry), error });

/** The result of an entity that is not sent because an earlier write of its row may be stored. */
export function heldResult(ledger: Ledger, entry: TrackedEntity): SaveResult {
  const own = ledger.sentOf(entry);
  const newest = own.at(-1);
  return newest === undefined
    ? {
        ...refused(entry, notSentError("an earlier write of its key has an unknown outcome")),
        outcome: "rejected",
      }
    : stillUnknown(newest.change, own);
}

const unsent = (entry: TrackedEntity): FailedResult => ({
  ...ofEntry(entry),
  // An earlier save may have stored it.
  outcome: entry.mayBeStored ? "unknown" : "rejected",
});

/** The parts of a result without a request. */
export const ofEntry = ({
  entity,
  model,
  key,
  intent,
}: TrackedEntity): Pick<SaveResult, "entity" | "subject" | "operation" | "attempts"> => ({
  entity,
  subject: subjectOf(model, key),
  operation: intent.type === "upsert" ? `upsert-${intent.mode}` : operations[intent.type],
  attempts: 0,
});

const operations = { add: "insert", remove: "delete", none: "merge" } as const;
