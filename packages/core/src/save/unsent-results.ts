import { subjectOf } from "../codec/encode-entity.ts";
import type { FailedResult, SaveResult } from "../unit-of-work/save-result.ts";
import type { Intent, TrackedEntity } from "../unit-of-work/tracked-entity.ts";

/** The result of an entity that is not sent because others cannot be. */
export const abortedEntry = ({ entity, model, key, intent }: TrackedEntity): SaveResult => ({
  entity,
  subject: subjectOf(model, key),
  operation: operationOf(intent),
  outcome: "rejected",
  aborted: true,
  attempts: 0,
});

/** The result of an entity that is not sent at all. */
export function refused({ entity, model, key, intent }: TrackedEntity, error: Error): FailedResult {
  return {
    entity,
    subject: subjectOf(model, key),
    operation: operationOf(intent),
    outcome: "rejected",
    attempts: 0,
    error,
  };
}

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
