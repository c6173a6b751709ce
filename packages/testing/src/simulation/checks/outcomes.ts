import { groupBy } from "../group-by.ts";
import type { StoredEntity, WriteOperation } from "@partita/core";
import { isSystemName } from "@partita/core/protocol";
import type { Journal, JournalEntry, ReportedResult } from "../journal.ts";
import type { NamedCheck, SimulatedRun } from "./simulation-check.ts";

/** What counts as a success. */
export interface OutcomesOptions {
  /**
   * Whether `committed` needs a request of the change itself to have been applied, also in tables without markers;
   * default false. There, equal values that somebody else stored cannot be distinguished from one's own, and count.
   */
  readonly strict?: boolean | undefined;
}

/**
 * What contexts report is what happened in the store: nothing is `committed` of which no attempt was applied, and nothing is
 * `rejected` of which an attempt was applied, or was later. Attempts of one change are those with equal content, by any save, until
 * a save reports it as committed or rejected. What `updateAll` and `removeAll` return is not compared.
 */
export function outcomes({ strict = false }: OutcomesOptions = {}): NamedCheck {
  return { name: "outcomes", begin: (run) => ({ atEnd: () => compare(run, strict) }) };
}

/** One logical change, and every request that was to store it. */
interface Change {
  readonly print: string;
  readonly values: string;
  readonly attempts: JournalEntry[];
}

function compare({ journal }: SimulatedRun, strict: boolean): string | undefined {
  const ofSave = groupBy(journal.entries, ({ save }) => save);
  const open = new Map<string, Change[]>();
  for (const reported of journal.results) {
    const id = [reported.context, reported.table, reported.partitionKey, reported.rowKey].join("\0");
    const changes = open.get(id) ?? [];
    const change = changeOf(reported, changes, ofSave.get(reported.save ?? -1) ?? []);
    const { outcome } = reported.result;
    if (outcome !== "unknown") {
      const problem = judge(reported, change);
      const isByContent = !strict && outcome === "committed" && isReadAsStored(reported, change, journal);
      if (problem !== undefined && !isByContent) return problem;
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
    // Nothing was sent this time: it is about what was sent before, if that is what the entity still asks for, or if it was
    // altered meanwhile and the save found the earlier change stored.
    if (reported.save === undefined) return open.at(-1);
    const same = open.findLast(({ values }) => values === reported.values);
    if (same !== undefined || reported.result.outcome !== "committed") return same;
    return open.findLast(({ attempts }) => attempts.some(({ outcome }) => outcome === "applied"));
  }
  const change = open.findLast(({ print }) => print === last.print) ?? {
    print: last.print,
    values: reported.values,
    attempts: [],
  };
  change.attempts.push(...own.filter(({ print }) => print === last.print).map(({ entry }) => entry));
  return change;
}

function operationOn({ operations }: JournalEntry, reported: ReportedResult): WriteOperation | undefined {
  const { partitionKey, rowKey } = reported;
  return operations.find((operation) => {
    if (operation.type === "delete")
      return operation.key.partitionKey === partitionKey && operation.key.rowKey === rowKey;
    return isAt(operation.entity, reported);
  });
}

/** The content of a write, without its ETag, which differs from one attempt to the next. */
const printOf = (operation: WriteOperation): string =>
  operation.type === "delete" ? "delete" : `${operation.type} ${textOf(operation.entity)}`;

/** Whether the actor read equal values after it had sent a change which left no marker. */
function isReadAsStored(reported: ReportedResult, change: Change | undefined, { entries }: Journal): boolean {
  const [own] = change?.attempts ?? [];
  const asked = own && operationOn(own, reported);
  if (own === undefined || asked === undefined || asked.type === "delete" || hasMarker(own)) return false;
  return entries.some(
    ({ number, actor, table, rows, carriedOut }) =>
      number > own.number &&
      carriedOut <= reported.order &&
      actor === own.actor &&
      table === own.table &&
      rows.some((row) => isAt(row, reported) && holds(row, asked.entity)),
  );
}

const isAt = (row: StoredEntity, { partitionKey, rowKey }: ReportedResult): boolean =>
  row.PartitionKey === partitionKey && row.RowKey === rowKey;

/** Whether a transaction leaves a marker. */
const hasMarker = ({ operations }: JournalEntry): boolean =>
  operations.some((operation) => operation.type === "insert" && operation.entity.RowKey.startsWith("~w~"));

const holds = (stored: StoredEntity, asked: StoredEntity): boolean =>
  Object.entries(asked).every(
    ([name, value]) => isSystemName(name) || textOf(stored[name]) === textOf(value),
  );

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)) ?? "";

function judge({ result, actor, order, at }: ReportedResult, change: Change | undefined): string | undefined {
  const about = `${result.operation} of ${result.subject} as ${result.outcome} at ${(at / 1000).toFixed(3)} s`;
  const applied = change?.attempts.find(({ outcome }) => outcome === "applied");
  const mayBe = change?.attempts.some(({ outcome }) => outcome === "in doubt") === true;
  if (result.outcome === "rejected") {
    if (applied === undefined) return undefined;
    const when = applied.carriedOut > order ? "was applied later" : "had been applied";
    return `${actor} reported the ${about}, and request ${applied.number} ${when}`;
  }
  if (applied !== undefined && applied.carriedOut <= order) return undefined;
  // The result says itself that another writer may have removed the row.
  if (mayBe || result.evidence === "gone") return undefined;
  const sent = change === undefined ? "nothing had been sent for it" : "no request of it had been applied";
  return `${actor} reported the ${about}, and ${sent}`;
}
