import { groupBy } from "../group-by.ts";
import type { WriteOperation } from "@partita/core";
import type { JournalEntry, ReportedResult } from "../journal.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/**
 * What contexts report is what happened in the store: nothing is `committed` of which no attempt was applied, and nothing is
 * `rejected` of which an attempt was applied, or was later. Attempts of one change are those with equal content, by any save, until
 * a save reports it as committed or rejected. What `updateAll` and `removeAll` return is not compared.
 */
export function outcomes(): NamedCheck {
  return { name: "outcomes", begin: (run) => ({ atEnd: () => compare(run) }) };
}

/** One logical change, and every request that was to store it. */
interface Change {
  readonly print: string;
  readonly values: string;
  readonly attempts: JournalEntry[];
}

function compare({ journal }: SimulatedRun): string | undefined {
  const ofSave = groupBy(journal.entries, ({ save }) => save);
  const open = new Map<string, Change[]>();
  for (const reported of journal.results) {
    const id = [reported.context, reported.table, reported.partitionKey, reported.rowKey].join("\0");
    const changes = open.get(id) ?? [];
    const change = changeOf(reported, changes, ofSave.get(reported.save ?? -1) ?? []);
    const { outcome } = reported.result;
    if (outcome !== "unknown") {
      const problem = judge(reported, change);
      if (problem !== undefined) return problem;
    }
    const others = changes.filter((each) => each !== change);
    open.set(id, outcome === "unknown" && change !== undefined ? [...others, change] : others);
  }
  return undefined;
}

/** The change that a result is of, with the requests that its save sent for it. */
function changeOf(
  reported: ReportedResult,
  open: readonly Change[],
  sent: readonly JournalEntry[],
): Change | undefined {
  const own = sent.flatMap((entry) => {
    const operation = entry.table === reported.table ? operationOn(entry, reported) : undefined;
    return operation?.type === reported.result.operation ? [{ entry, print: printOf(operation) }] : [];
  });
  const last = own.at(-1);
  if (last === undefined) {
    // Nothing was sent this time: it is about what was sent before, if that is what the entity still asks for.
    if (reported.save === undefined) return open.at(-1);
    return open.findLast(({ values }) => values === reported.values);
  }
  const change = open.findLast(({ print }) => print === last.print) ?? {
    print: last.print,
    values: reported.values,
    attempts: [],
  };
  change.attempts.push(...own.filter(({ print }) => print === last.print).map(({ entry }) => entry));
  return change;
}

function operationOn(
  { operations }: JournalEntry,
  { partitionKey, rowKey }: ReportedResult,
): WriteOperation | undefined {
  return operations.find((operation) => {
    if (operation.type === "delete")
      return operation.key.partitionKey === partitionKey && operation.key.rowKey === rowKey;
    return operation.entity.PartitionKey === partitionKey && operation.entity.RowKey === rowKey;
  });
}

/** The content of a write, without what differs from one attempt to the next: its ETag and its write ids. */
function printOf(operation: WriteOperation): string {
  if (operation.type === "delete") return "delete";
  const { _m: _id, _h: _history, ...content } = operation.entity;
  return `${operation.type} ${JSON.stringify(content, (_name, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  )}`;
}

function judge(
  { result, actor, order, at, ignoresMissing }: ReportedResult,
  change: Change | undefined,
): string | undefined {
  const about = `${result.operation} of ${result.subject} as ${result.outcome} at ${(at / 1000).toFixed(3)} s`;
  const applied = change?.attempts.find(({ outcome }) => outcome === "applied");
  const mayBe = change?.attempts.some(({ outcome }) => outcome === "in doubt") === true;
  if (result.outcome === "rejected") {
    if (applied === undefined) return undefined;
    const when = applied.carriedOut > order ? "was applied later" : "had been applied";
    return `${actor} reported the ${about}, and request ${applied.number} ${when}`;
  }
  if (applied !== undefined && applied.carriedOut <= order) return undefined;
  if (mayBe || (ignoresMissing && result.operation === "delete")) return undefined;
  const sent = change === undefined ? "nothing had been sent for it" : "no request of it had been applied";
  return `${actor} reported the ${about}, and ${sent}`;
}
