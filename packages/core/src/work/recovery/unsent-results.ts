import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { FailedResult, SaveResult } from "../unit-of-work/save-result.ts";
import type { Ledger } from "./ledger.ts";
import { notSentError, stillUnknown } from "./outcome.ts";
import type { Intent, TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** The result of an entity that is not sent because others cannot be. */
export const abortedEntry = (entry: TrackedEntity): SaveResult => ({
  ...unsent(entry),
  aborted: true,
});

/** The result of an entity that is not sent at all. */
export const refused = (entry: TrackedEntity, error: Error): FailedResult => ({ ...unsent(entry), error });

/** The same for an entity that was never sent. */
const rejectedUnsent = (entry: TrackedEntity, error: Error): FailedResult => ({
  ...refused(entry, error),
  outcome: "rejected",
});

/** The result of an entity that is not sent, since an earlier write of its row may be stored. */
export function heldResult(ledger: Ledger, entry: TrackedEntity): SaveResult {
  const own = ledger.sentOf(entry);
  const newest = own.at(-1);
  return newest === undefined
    ? rejectedUnsent(entry, notSentError("an earlier write under its key is in doubt"))
    : stillUnknown(newest.change, own);
}

const unsent = ({ entity, model, key, intent, mayBeStored }: TrackedEntity): FailedResult => ({
  entity,
  subject: subjectOf(model, key),
  operation: operationOf(intent),
  // An earlier save may have stored it.
  outcome: mayBeStored ? "unknown" : "rejected",
  attempts: 0,
});

function operationOf(intent: Intent): SaveResult["operation"] {
  switch (intent.type) {
    case "add":
      return "insert";
    case "upsert":
      return `upsert-${intent.mode}`;
    case "remove":
      return "delete";
    case "none":
      return "merge";
    default:
      return intent satisfies never;
  }
}
