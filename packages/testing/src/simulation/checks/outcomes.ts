import type { WriteOperation } from "@partita/core/storage";
import type { Journal, JournalEntry, ReportedResult } from "../history/journal.ts";
import {
  asksForSame,
  hasMarker,
  isSentAlike,
  isStoredAs,
  operationOn,
  rowAt,
} from "../history/sent-operations.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/** Options of `outcomes`. */
export interface OutcomesOptions {
  /**
   * Whether `committed` always requires that a request of the change itself was applied; default false. Without it, in
   * tables without markers, equal values from another writer also count, since they cannot be distinguished.
   */
  readonly strict?: boolean | undefined;
}

/**
 * Checks that contexts report what happened in the store: a change is `committed` only if a request of it was applied,
 * and `rejected` only if none was applied, then or later. A change is identified by its values, not by its request:
 * requests of all saves belong to the same change while they request the same, until a save reports it as committed or
 * rejected, or the entity is discarded, detached or reloaded. The check does not notice that a query with
 * `overwriteChanges` drops a change, and does not compare results of `updateAll` and `removeAll`.
 */
export function outcomes({ strict = false }: OutcomesOptions = {}): NamedCheck {
  return { name: "outcomes", begin: (run) => ({ atEnd: () => compare(run, strict) }) };
}

/** One request of a change. */
interface Attempt {
  readonly entry: JournalEntry;
  readonly operation: WriteOperation;
}

/** A change of one entity, with every request for it. */
interface Change {
  readonly wants: string;
  readonly revision: number;
  readonly attempts: Attempt[];
}

function compare({ journal }: SimulatedRun, strict: boolean): string | undefined {
  const sentBy = Map.groupBy(journal.entries, ({ save }) => save);
  const open = new Map<number, readonly Change[]>();
  for (const reported of journal.results) {
    const changes = open.get(reported.entity) ?? [];
    const change = changeOf(reported, changes, sentBy.get(reported.save ?? -1) ?? [], journal);
    const { outcome } = reported.result;
    if (outcome !== "unknown") {
      const problem = judge(reported, change);
      const isByContent = !strict && outcome === "committed" && isReadAsStored(reported, change, journal);
      if (problem !== undefined && !isByContent) return problem;
    }
    open.set(reported.entity, stillOpen(changes, change, outcome));
  }
  return undefined;
}

/** The changes of an entity that are still open after a result. Changes before one that is now stored are closed. */
function stillOpen(
  changes: readonly Change[],
  change: Change | undefined,
  outcome: ReportedResult["result"]["outcome"],
): readonly Change[] {
  if (change === undefined) return changes;
  const at = changes.indexOf(change);
  if (outcome === "committed") return at < 0 ? [] : changes.slice(at + 1);
  const others = changes.filter((each) => each !== change);
  return outcome === "unknown" ? [...others, change] : others;
}

/** The change of a result, with the requests that its save sent for it. */
function changeOf(
  reported: ReportedResult,
  open: readonly Change[],
  entries: readonly JournalEntry[],
  journal: Journal,
): Change | undefined {
  if (reported.result.attempts === 0) return earlierChange(reported, open, journal);
  const isDelete = reported.result.operation === "delete";
  const sent = entries.flatMap((entry): Attempt[] => {
    const operation = operationOn(entry, reported);
    return operation !== undefined && (operation.type === "delete") === isDelete
      ? [{ entry, operation }]
      : [];
  });
  const last = sent.at(-1);
  if (last === undefined) return earlierChange(reported, open, journal);
  const own = sent.filter(({ operation }) => asksForSame(operation, last.operation));
  const { wants: asked, revision } = reported;
  const alike = open.filter((one) => one.revision === revision);
  const change = alike.findLast(({ wants, attempts }) =>
    attempts.some(
      ({ operation }) =>
        asksForSame(operation, last.operation) &&
        (isSentAlike(operation, last.operation) || isSame(wants, asked)),
    ),
  ) ?? { wants: asked, revision, attempts: [] };
  change.attempts.push(...own);
  return change;
}

/** The save sent no request: the result is about an earlier one. */
function earlierChange(
  reported: ReportedResult,
  open: readonly Change[],
  journal: Journal,
): Change | undefined {
  if (reported.save === undefined) return open.at(-1);
  const same = open.findLast(
    ({ wants, revision }) => isSame(wants, reported.wants) && revision === reported.revision,
  );
  if (same !== undefined || reported.result.outcome !== "committed") return same;
  // The entity was edited in between, and the save found the earlier change stored.
  return (
    open.findLast(({ attempts }) => attempts.some(({ entry }) => entry.outcome === "applied")) ??
    open.findLast((change) => isReadAsStored(reported, change, journal))
  );
}

const isSame = (wants: string, other: string): boolean => wants !== "" && wants === other;

/** Whether the actor read equal values after it had sent a change without a marker. */
function isReadAsStored(reported: ReportedResult, change: Change | undefined, { entries }: Journal): boolean {
  return (change?.attempts ?? []).some(({ entry: own, operation }) => {
    if (hasMarker(own)) return false;
    return entries.some(({ number, actor, table, rows, executed }) => {
      if (number < own.number || executed > reported.order) return false;
      const row = actor === own.actor && table === own.table ? rowAt(rows, reported) : undefined;
      return row !== undefined && isStoredAs(row, operation);
    });
  });
}

function judge({ result, actor, order, at }: ReportedResult, change: Change | undefined): string | undefined {
  const about = `${result.operation} of ${result.subject} as ${result.outcome} at ${(at / 1000).toFixed(3)} s`;
  const sent = (change?.attempts ?? []).map(({ entry }) => entry);
  const applied = sent.filter(({ outcome }) => outcome === "applied");
  const wasApplied = applied.find(({ executed }) => executed <= order);
  if (result.outcome === "rejected") {
    const [first] = wasApplied === undefined ? applied : [wasApplied];
    if (first === undefined) return undefined;
    const when = first === wasApplied ? "had been applied" : "was applied later";
    return `${actor} reported the ${about}, and request ${first.number} ${when}`;
  }
  if (wasApplied !== undefined || sent.some(({ outcome }) => outcome === "in doubt")) return undefined;
  // The result itself says that another writer may have deleted the row.
  if (result.operation === "delete" && result.evidence === "gone") return undefined;
  const why =
    change === undefined ? "no request had been sent for it" : "none of its requests had been applied";
  return `${actor} reported the ${about}, and ${why}`;
}
