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

/** What counts as a success. */
export interface OutcomesOptions {
  /**
   * Whether `committed` needs a request of the change itself to have been applied, also in tables without markers;
   * default false. There, equal values that another writer stored cannot be distinguished from one's own, and count.
   */
  readonly strict?: boolean | undefined;
}

/**
 * What contexts report is what happened in the store: nothing is `committed` unless a request of the change was applied, and
 * nothing is `rejected` if one was applied, then or later. A change is known by what its entity asks for, not by the request:
 * requests of any save belong to one change while they ask for the same, until a save reports it as committed or rejected, or
 * the entity is discarded, detached or reloaded. The check does not notice that a query with `overwriteChanges` drops a change,
 * and does not compare what `updateAll` and `removeAll` return.
 */
export function outcomes({ strict = false }: OutcomesOptions = {}): NamedCheck {
  return { name: "outcomes", begin: (run) => ({ atEnd: () => compare(run, strict) }) };
}

/** One request of a change. */
interface Attempt {
  readonly entry: JournalEntry;
  readonly operation: WriteOperation;
}

/** What one entity asked for, and every request that was to store it. */
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

/** What is still open of an entity after a result. What was asked for before something that is stored now is over. */
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

/** The change that a result is about, with the requests that its save sent for it. */
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

/** Nothing was sent this time: the result is about an earlier request. */
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

/** Whether the actor read equal values after it had sent a change which left no marker. */
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
  // The result says itself that another writer may have removed the row.
  if (result.operation === "delete" && result.evidence === "gone") return undefined;
  const why = change === undefined ? "nothing had been sent for it" : "no request of it had been applied";
  return `${actor} reported the ${about}, and ${why}`;
}
