import { messageOf } from "../../values/errors/built-ins.ts";
import { abortedEntry } from "../recovery/unsent-results.ts";
import type { TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { SaveResult } from "../unit-of-work/save-result.ts";
import { SaveError } from "./save-error.ts";

/** The error for a save that was refused before sending. */
export function invalidSave(problems: readonly SaveResult[], others: readonly TrackedEntity[]): SaveError {
  const lines = problems.map((problem) => `- ${describeFailure(problem)}`);
  const headline = `Nothing was sent: ${count(problems.length, "entity", "entities")} cannot be stored.`;
  return new SaveError("save.invalid", `${headline}\n${listed(lines)}`, [
    ...problems,
    ...others.map(abortedEntry),
  ]);
}

/** The error for a save that was not stored completely. */
export function failedSave(results: readonly SaveResult[]): SaveError {
  const failures = results.filter((result) => result.outcome !== "committed" && result.aborted !== true);
  const aborted = results.filter((result) => result.aborted === true).length;
  const lines = failures.map((result) => `- ${describeFailure(result)}`);
  const siblings =
    aborted === 1 ? "change of the same transactions was" : "changes of the same transactions were";
  const others = aborted === 0 ? "" : `\n${aborted} other ${siblings} not stored either.`;
  const stored = results.filter((result) => result.outcome === "committed").length;
  const unknown = results.filter((result) => result.outcome === "unknown").length;
  const open = unknown === 0 ? "" : `; the outcome of ${unknown} is unknown`;
  const headline = `${stored} of ${count(results.length, "change was", "changes were")} stored${open}.`;
  return new SaveError("save.failed", `${headline}\n${listed(lines)}${others}`, results);
}

/** @throws SaveError `save.hook-failed` if something failed after everything was stored */
export function checkLateErrors(lateErrors: readonly unknown[], results: readonly SaveResult[]): void {
  if (lateErrors.length === 0) return;
  const [cause] = lateErrors;
  const message = `Everything was stored (${count(results.length, "change", "changes")}), but something failed after that, such as a "received" or "saved" hook: ${messageOf(cause)}`;
  throw new SaveError("save.hook-failed", message, results, cause);
}

function describeFailure({ outcome, operation, subject, error, lateUntil }: SaveResult): string {
  if (outcome === "unknown" && error?.message.startsWith(subject) !== true) {
    const next =
      lateUntil === undefined
        ? "Nothing more can be found out about it: reload() the entity to see what is stored, or save the change again."
        : "resolveInDoubt() finds out, and so does the next saveChanges() before it sends anything else for the entity. To drop the change, call reload(), discard() or detach().";
    return `It is unknown whether the ${operation} of ${subject} was stored: ${error?.message} ${next}`;
  }
  return error?.message.startsWith(subject) === true
    ? error.message
    : `${subject} was not saved: ${error?.message}`;
}

/** A message of a large save names the first few. */
const listed = (lines: readonly string[]): string =>
  lines.length <= 5
    ? lines.join("\n")
    : `${lines.slice(0, 5).join("\n")}\n- and ${lines.length - 5} more (see results)`;

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
