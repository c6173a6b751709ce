import { StorageError } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";

/** The outcome of a request. `code` is the service's, if the state of a row was the reason. */
export interface Answer {
  readonly outcome: "stored" | "refused" | "in doubt";
  readonly code?: string;
}

/** Codes that depend on the state of a row. */
const conflicts = ["EntityAlreadyExists", "ResourceNotFound", "UpdateConditionNotSatisfied"];

export async function answerOf(request: () => Promise<unknown>): Promise<Answer> {
  try {
    await request();
    return { outcome: "stored" };
  } catch (error) {
    if (!StorageError.is(error)) throw error;
    const { serviceCode = "" } = error;
    if (error.applied === "maybe") return { outcome: "in doubt" };
    return { outcome: "refused", ...(conflicts.includes(serviceCode) && { code: serviceCode }) };
  }
}

/** The mark of the write that a row comes from. */
const markOf = (row: StoredEntity | undefined): unknown => row?.["mark"];

/** A write of a row that several clients write. */
interface Attempt {
  readonly operation: WriteOperation;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly answer: Answer;
}

/** What the clients were told, to be compared with the rows in the end. */
export class Ledger {
  readonly problems: string[] = [];
  readonly counts = { stored: 0, refused: 0, "in doubt": 0, lost: 0, "falsely refused": 0 };
  readonly #attempts = new Map<string, Attempt[]>();
  /** Transactions, by the RowKey of the row that proves each. */
  readonly #proofs = new Map<string, Answer>();
  readonly #seen = new Set<unknown>();
  #marks = 0;

  nextMark(): string {
    return String(this.#marks++);
  }

  /** Notes a row that a client has read. */
  see(row: StoredEntity | undefined): void {
    if (row !== undefined) this.#seen.add(markOf(row));
  }

  /** Notes a write of shared rows. */
  note(operations: readonly WriteOperation[], startedAt: number, answer: Answer, proof?: string): void {
    this.counts[answer.outcome]++;
    if (proof !== undefined) this.#proofs.set(proof, answer);
    const endedAt = performance.now();
    for (const operation of operations) {
      const row = rowOf(operation);
      const attempts = this.#attempts.get(row) ?? [];
      attempts.push({ operation, startedAt, endedAt, answer });
      this.#attempts.set(row, attempts);
    }
  }

  /** Checks a write of a row that only one client writes. */
  checkOwn(operation: WriteOperation, answer: Answer, before?: StoredEntity, after?: StoredEntity): void {
    this.counts[answer.outcome]++;
    const expected = refusalOf(operation, before);
    const isUnchanged = before?.["odata.etag"] === after?.["odata.etag"];
    const isStored = "entity" in operation ? markOf(after) === operation.entity["mark"] : after === undefined;
    const shown = `${operation.type}, expected ${expected ?? "success"}, got ${answer.code ?? answer.outcome}`;
    if (answer.code !== undefined && answer.code !== expected) this.#report("falsely refused", shown);
    if (answer.outcome === "stored" && (expected !== undefined || !isStored)) this.#report("lost", shown);
    if (answer.outcome === "refused" && !isUnchanged) this.#report("lost", `${shown}, but it was stored`);
    if (answer.outcome === "in doubt" && !isUnchanged && !isStored)
      this.#report("lost", `${shown}: another row`);
  }

  /** Compares the shared rows with the attempts. */
  checkShared(rows: readonly StoredEntity[]): void {
    const byKey = new Map(rows.map((row) => [`${row.PartitionKey} ${row.RowKey}`, row]));
    const rowKeys = new Set(rows.map(({ RowKey }) => RowKey));
    for (const [proof, { outcome }] of this.#proofs) {
      if (outcome === "stored" && !rowKeys.has(proof)) this.#report("lost", `transaction ${proof}`);
      if (outcome === "refused" && rowKeys.has(proof))
        this.#report("falsely refused", `transaction ${proof}`);
    }
    for (const row of rows) this.see(row);
    for (const [key, attempts] of this.#attempts) this.#checkRow(key, attempts, byKey.get(key));
  }

  #checkRow(key: string, attempts: readonly Attempt[], row: StoredEntity | undefined): void {
    const stored = attempts.filter(({ answer }) => answer.outcome === "stored");
    for (const { operation, answer } of attempts)
      if (answer.outcome === "refused" && "entity" in operation && this.#seen.has(operation.entity["mark"]))
        this.#report("falsely refused", `${key}: ${operation.type} was stored`);

    const etags = stored.flatMap(({ operation }) => ("etag" in operation ? [operation.etag] : []));
    const named = etags.filter((etag) => etag !== "*");
    if (new Set(named).size < named.length)
      this.#report("lost", `${key}: two writes replaced the same version`);

    // The row comes from a write that no acknowledged write followed.
    const isLast = ({ operation, answer, endedAt }: Attempt): boolean =>
      answer.outcome !== "refused" &&
      (row === undefined
        ? operation.type === "delete"
        : "entity" in operation && operation.entity["mark"] === markOf(row)) &&
      (answer.outcome === "in doubt" || !stored.some(({ startedAt }) => startedAt > endedAt));
    if (!attempts.some(isLast) && (row !== undefined || stored.length > 0))
      this.#report("lost", `${key}: the last write`);
  }

  #report(kind: "lost" | "falsely refused", problem: string): void {
    this.counts[kind]++;
    this.problems.push(`${kind}: ${problem}`);
  }
}

function rowOf(operation: WriteOperation): string {
  if (operation.type === "delete") return `${operation.key.partitionKey} ${operation.key.rowKey}`;
  return `${operation.entity.PartitionKey} ${operation.entity.RowKey}`;
}

/** The code that refuses an operation on a row; undefined if it is stored. */
function refusalOf(operation: WriteOperation, row: StoredEntity | undefined): string | undefined {
  if (operation.type === "insert") return row === undefined ? undefined : "EntityAlreadyExists";
  if (!("etag" in operation)) return undefined;
  if (row === undefined) return "ResourceNotFound";
  return operation.etag === "*" || operation.etag === row["odata.etag"]
    ? undefined
    : "UpdateConditionNotSatisfied";
}
