import type { WriteOperation } from "@partita/core/storage";
import { isClosedMarker } from "@partita/core/internal";
import type { Journal, JournalEntry, ReportedResult, StartedSave } from "../history/journal.ts";
import { asksForSame, operationOn } from "../history/sent-operations.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/**
 * Checks that atomic groups are stored completely or not at all. Each applied request of a save with `batch: "atomic"`
 * writes every row of the save, and no later save stores a part of it while a request of the group may still be
 * applied. A delete may be missing once its row no longer exists, unless the save has `removeMissing: "error"`.
 */
export function atomicGroups(): NamedCheck {
  return { name: "atomic groups", begin: (run) => ({ atEnd: () => findSplit(run) }) };
}

/** A group with an unknown outcome. */
interface OpenGroup {
  readonly members: readonly ReportedResult[];
  readonly entries: readonly JournalEntry[];
}

function findSplit({ journal }: SimulatedRun): string | undefined {
  const resultsOf = Map.groupBy(journal.results, ({ save }) => save);
  const sentBy = Map.groupBy(journal.entries, ({ save }) => save);
  let open: readonly OpenGroup[] = [];
  for (const save of journal.saves) {
    const results = resultsOf.get(save.number) ?? [];
    const entries = (sentBy.get(save.number) ?? []).filter(({ operations }) => operations.length > 0);
    const applied = entries.filter(({ outcome }) => outcome === "applied");
    const split = open
      .map((group) => splitOfEarlier(group, save, results, leftOpen(group, applied, journal)))
      .find(isFound);
    if (split !== undefined) return split;
    open = open.filter((group) => isStillOpen(group, save, results));
    if (save.options.batch !== "atomic") continue;
    const members = results.filter((one) => one.result.attempts > 0 || one.result.outcome !== "committed");
    const torn = applied.map((entry) => missingIn(entry, members, save)).find(isFound);
    if (torn !== undefined) return torn;
    const isUnknown = members.every(({ result }) => result.outcome === "unknown");
    if (members.length > 1 && isUnknown && entries.length > 0) open = [...open, { members, entries }];
  }
  return undefined;
}

const isFound = (finding: string | undefined): boolean => finding !== undefined;

/** The rows of a group that a request left out although it wrote others. */
function missingIn(
  entry: JournalEntry,
  members: readonly ReportedResult[],
  save: StartedSave,
): string | undefined {
  const written = members.find((member) => operationOn(entry, member) !== undefined);
  if (written === undefined) return undefined;
  const missing = members.find(
    (member) => operationOn(entry, member) === undefined && !mayBeMissing(member, save),
  );
  return missing === undefined ? undefined : tell(entry, written, missing);
}

/** A delete needs no request if its row no longer exists. */
const mayBeMissing = ({ result }: ReportedResult, { options }: StartedSave): boolean =>
  result.operation === "delete" && options.removeMissing !== "error";

/** How long a request may take to arrive, in milliseconds. */
const lateMs = 60_000;

/** Requests that were applied while a request of a group, as far as the context knew, could still be applied. */
function leftOpen(
  { entries }: OpenGroup,
  applied: readonly JournalEntry[],
  journal: Journal,
): readonly JournalEntry[] {
  const lost = entries.filter(({ fault, outcome }) => fault !== undefined || outcome === "in doubt");
  const isClosed = (entry: JournalEntry, before: JournalEntry): boolean =>
    journal.entries.some(
      (one) =>
        one.outcome === "applied" &&
        one.executed < before.executed &&
        one.operations.some(
          (operation) => isClosing(operation) && markersOf(entry).includes(rowKeyOf(operation)),
        ),
    );
  return applied.filter((one) =>
    lost.some((entry) => one.sentAt - entry.sentAt <= lateMs && !isClosed(entry, one)),
  );
}

/** The marker rows of a transaction. */
const markersOf = ({ operations }: JournalEntry): readonly string[] =>
  operations.map(rowKeyOf).filter((key) => key.startsWith("~w~") || key.startsWith("~o~"));

/** Whether an operation writes a marker to close it, so its transaction cannot be applied any more. */
const isClosing = (operation: WriteOperation): boolean =>
  operation.type === "insert" && isClosedMarker(operation.entity);

const rowKeyOf = (operation: WriteOperation): string =>
  operation.type === "delete" ? operation.key.rowKey : operation.entity.RowKey;

/** Whether a later save stored a part of an earlier, unedited group. */
function splitOfEarlier(
  { members, entries }: OpenGroup,
  save: StartedSave,
  results: readonly ReportedResult[],
  applied: readonly JournalEntry[],
): string | undefined {
  if (save.context !== members[0]?.context || save.options.only !== undefined) return undefined;
  const isUnchanged = members.every((member) =>
    results.some(
      ({ entity, wants, revision }) =>
        entity === member.entity && wants === member.wants && revision === member.revision,
    ),
  );
  if (!isUnchanged) return undefined;
  const isPartOf = (entry: JournalEntry): boolean =>
    members.some((member) => {
      const operation = operationOn(entry, member);
      const earlier = entries.map((one) => operationOn(one, member));
      return (
        operation !== undefined && earlier.some((one) => one !== undefined && asksForSame(one, operation))
      );
    });
  return applied
    .filter(isPartOf)
    .map((entry) => missingIn(entry, members, save))
    .find(isFound);
}

/** Until one of its members has an outcome, or another change. */
const isStillOpen = (
  { members }: OpenGroup,
  { context }: StartedSave,
  results: readonly ReportedResult[],
): boolean =>
  members[0]?.context !== context ||
  members.every((member) =>
    results.some(
      ({ entity, wants, result }) =>
        entity === member.entity && wants === member.wants && result.outcome === "unknown",
    ),
  );

const tell = (entry: JournalEntry, written: ReportedResult, missing: ReportedResult): string =>
  `request ${entry.number} of ${entry.actor} stored the ${written.result.operation} of ${written.result.subject} without the ${missing.result.operation} of ${missing.result.subject}, which belongs to the same atomic group`;
