import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { isSystemName } from "@partita/core/protocol";
import type {
  ClockChange,
  FailedStep,
  Journal,
  JournalEntry,
  Observation,
  ReportedResult,
} from "./journal.ts";

interface Line {
  readonly order: number;
  /** The order of simultaneous events. */
  readonly rank: number;
  readonly at: number;
  readonly actor: string;
  readonly text: string;
}

/** Formats the history of a run, one line per event. */
export function printHistory(journal: Journal): string[] {
  const versions = new Versions(journal);
  const lines = [
    ...journal.entries.flatMap((entry) => linesOfRequest(entry, versions)),
    ...journal.results.flatMap(lineOfResult),
    ...journal.observations.flatMap(lineOfObservation),
    ...journal.failedSteps.map(lineOfFailure),
  ].toSorted((a, b) => a.order - b.order || a.rank - b.rank);
  // A clock may change at a time without other events.
  for (const line of journal.clocks.flatMap((change) => lineOfClock(change, lines))) {
    const next = lines.findIndex(({ at }) => at > line.at);
    lines.splice(next < 0 ? lines.length : next, 0, line);
  }
  const width = Math.max(0, ...lines.map(({ actor }) => actor.length));
  const timeWidth = Math.max(0, ...lines.map(({ at }) => seconds(at).length));
  return lines.map(
    ({ at, actor, text }) => `${seconds(at).padStart(timeWidth)} s  ${actor.padEnd(width)}  ${text}`,
  );
}

/** Only for active actors, and before the last event. */
function lineOfClock({ at, actor, by }: ClockChange, lines: readonly Line[]): Line[] {
  if (!lines.some((line) => line.actor === actor) || lines.every((line) => line.at <= at)) return [];
  const way = `${seconds(Math.abs(by))} s ${by > 0 ? "forward" : "back"}`;
  const text = at === 0 ? `begins with a clock that is ${way}` : `has its clock set ${way}`;
  return [{ order: 0, rank: 0, at, actor, text }];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Numbers for ETags: the first one seen of a row is version 1. */
class Versions {
  readonly #versions = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  constructor({ entries }: Journal) {
    for (const entry of entries.toSorted((a, b) => a.executed - b.executed)) {
      const { table, rows, operations, etags } = entry;
      for (const row of rows) this.#note(table, row.PartitionKey, row.RowKey, row["odata.etag"]);
      for (const [i, operation] of operations.entries())
        if (operation.type !== "delete")
          this.#note(table, operation.entity.PartitionKey, operation.entity.RowKey, etags[i]);
    }
  }

  of(table: string, partitionKey: string, rowKey: string, etag: string | undefined): string {
    if (etag === undefined) return "";
    if (etag === "*") return " under any version";
    const version = this.#versions.get([table, partitionKey, rowKey, etag].join("\0"));
    return ` under version ${version ?? "unknown"}`;
  }

  #note(table: string, partitionKey: string, rowKey: string, etag: string | undefined): void {
    const row = [table, partitionKey, rowKey].join("\0");
    const id = `${row}\0${etag}`;
    if (etag === undefined || this.#versions.has(id)) return;
    const count = (this.#counts.get(row) ?? 0) + 1;
    this.#counts.set(row, count);
    this.#versions.set(id, count);
  }
}

function linesOfRequest(entry: JournalEntry, versions: Versions): Line[] {
  const { actor, responded, respondedAt, executed, executedAt, outcome } = entry;
  const asked = `${entry.number}. ${askedOf(entry, versions)}`;
  if (respondedAt === undefined) return [];
  const line: Line = {
    order: responded,
    rank: 0,
    at: respondedAt,
    actor,
    text: `${asked}: ${responseOf(entry)}`,
  };
  if (executedAt === undefined || executed <= responded) return [line];
  const arrival = outcome === "applied" ? "is applied" : `is refused (${entry.refusal})`;
  return [
    line,
    {
      order: executed,
      rank: 0,
      at: executedAt,
      actor,
      text: `request ${entry.number} arrives late and ${arrival}`,
    },
  ];
}

function askedOf({ type, table, operations, asked, attempt }: JournalEntry, versions: Versions): string {
  const what =
    operations.length === 0
      ? [type, table, asked].filter((word) => word !== "").join(" ")
      : `${operations.length > 1 ? "transaction of " : ""}${operations
          .map((operation) => printOperation(table, operation, versions))
          .join(", ")}`;
  return attempt > 1 ? `${what} (try ${attempt})` : what;
}

function printOperation(table: string, operation: WriteOperation, versions: Versions): string {
  const etag = "etag" in operation ? operation.etag : undefined;
  const [partitionKey, rowKey] =
    operation.type === "delete"
      ? [operation.key.partitionKey, operation.key.rowKey]
      : [operation.entity.PartitionKey, operation.entity.RowKey];
  const values = operation.type === "delete" ? "" : ` ${printRow(operation.entity)}`;
  const under = versions.of(table, partitionKey, rowKey, etag);
  return `${operation.type} ${table} (${partitionKey}, ${rowKey})${values}${under}`;
}

const printRow = (row: StoredEntity): string => {
  const own = Object.entries(row).filter(([name]) => !isSystemName(name) && !name.includes("odata."));
  return `{ ${own.map(([name, value]) => `${name}: ${printValue(value)}`).join(", ")} }`;
};

function printValue(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function responseOf({ type, fault, outcome, error, rows, responded, executed }: JournalEntry): string {
  const isLate = executed > responded || outcome === "on its way";
  if (fault !== undefined) {
    const lost = `${fault}, the actor gets ${error}`;
    if (isLate) return `${lost}; it is on its way`;
    if (outcome === "never") return `${lost}; it never arrives`;
    return `${lost}; it was ${outcome}`;
  }
  if (outcome === "read") {
    if (type === "listTables") return "answered";
    if (type === "query") return printRows(rows);
    return rows[0] === undefined ? "nothing" : printRow(rows[0]);
  }
  return error === undefined ? outcome : `${outcome} (${error})`;
}

function printRows(rows: readonly StoredEntity[]): string {
  const shown = rows.slice(0, 5).map((row) => `(${row.PartitionKey}, ${row.RowKey}) ${printRow(row)}`);
  if (shown.length < rows.length) shown.push("…");
  return [`${rows.length} row${rows.length === 1 ? "" : "s"}`, ...shown].join(" ");
}

/** Changes that a response committed are visible in the requests. */
function lineOfResult({ order, at, actor, save, result }: ReportedResult): Line[] {
  const { outcome, operation, subject, error, evidence } = result;
  if (evidence === "response" && save !== undefined) return [];
  const by = save === undefined ? "resolveInDoubt" : "the save";
  const code = evidence ?? (error as { readonly code?: string } | undefined)?.code;
  const why = code === undefined ? "" : ` (${code})`;
  const text = `${by} reports ${outcome}${why}: ${operation} of ${subject}`;
  return [{ order, rank: 1, at, actor, text }];
}

function lineOfObservation({ ended, at, actor, type, name, ...observed }: Observation): Line[] {
  if (ended === Number.POSITIVE_INFINITY) return [];
  const { operation, value, outcome, result } = observed;
  const given = value === undefined ? "" : ` ${printValue(value)}`;
  const returns = ["read", "has", "take"].includes(operation);
  const came = outcome !== "done" ? outcome : returns ? printValue(result) || "nothing" : "done";
  return [{ order: ended, rank: 2, at, actor, text: `${operation}${given} on ${type} ${name}: ${came}` }];
}

const lineOfFailure = ({ order, at, actor, step, error }: FailedStep): Line => ({
  order,
  rank: 3,
  at,
  actor,
  text: `step ${step} ends with ${error.name} ${(error as { readonly code?: string }).code ?? ""}`.trimEnd(),
});
