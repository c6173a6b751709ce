import { etagOf } from "../codec/row-layout.ts";
import type { StoredEntity } from "../edm/stored-entity.ts";
import type { StorageError } from "../errors/storage-error.ts";
import { monotonicTime } from "../storage/clock.ts";
import type { Retries } from "../storage/with-retry.ts";
import type { TableStorage } from "../storage/table-storage.ts";
import { keyOfOperation } from "../storage/write-operation.ts";
import { conditionOf, lateAfter, mayHaveLostMarker, nextSerial } from "../unit-of-work/in-doubt-write.ts";
import type { Evidence, RemoveMissing } from "../unit-of-work/save-result.ts";
import type { ChangeSet, InDoubtWrite, Write } from "../unit-of-work/tracked-entity.ts";
import { closeWrite, isMarkerThere } from "./close-write.ts";
import { type Judgement, judgeWrite } from "./judge-write.ts";
import { conflictReason } from "../storage/conflict-reason.ts";
import {
  committed,
  abandoned,
  goneOutcome,
  notStored,
  type Outcome,
  rejected,
  unknownOutcomes,
} from "./outcome.ts";
import { readBack } from "./read-back.ts";

/** How a batch ended whose answer was lost. */
export interface LostAnswer {
  /** The last failure after which the batch may be stored. */
  readonly doubt: StorageError;
  /** The last failure: `doubt` itself, or a refusal that came after it and so is no answer. */
  readonly failure: StorageError;
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  readonly retries: Retries;
  readonly removeMissing: RemoveMissing;
  readonly sentAfter: number | undefined;
  /** By the monotonic time, before the first request was sent. */
  readonly sentAt: number;
  /** The same moment by the clock's date. */
  readonly sentOn: number;
}

/** Finds out what became of a write in doubt, and returns what that proves. */
export async function proveWrite(storage: TableStorage, write: Write, lost: LostAnswer): Promise<Outcome[]> {
  const { doubt, attempt, signal, retries, removeMissing, sentAfter, sentAt, sentOn } = lost;
  const { clock } = retries;
  const inDoubt: InDoubtWrite = {
    ...write,
    serial: nextSerial(),
    lateUntil: lateAfter(monotonicTime(clock)),
    sentAt,
    sentOn,
    clock,
    sentAfter,
    removeMissing,
    error: doubt,
  };
  if (hasEnded(signal)) return unknownOutcomes(inDoubt, doubt, attempt);
  return write.marker === undefined
    ? proveByRows(storage, inDoubt, lost)
    : proveByMarker(storage, inDoubt, lost);
}

/** Reads back what a write in doubt wrote. */
async function proveByRows(
  storage: TableStorage,
  inDoubt: InDoubtWrite,
  { doubt, failure, attempt, signal, removeMissing }: LostAnswer,
): Promise<Outcome[]> {
  const { changes } = inDoubt;
  const found = await findRows(storage, inDoubt, signal);
  if (found === undefined) return unknownOutcomes(inDoubt, doubt, attempt);
  if (found.verdict === "applied") {
    const proof = { evidence: "content", attempts: attempt, removeMissing, cause: doubt } as const;
    return acceptRows(changes, found.rows, proof).map((outcome) => ({ ...outcome, late: inDoubt }));
  }
  const isConflict = conflictReason(failure) !== undefined;
  // Refused for good: one row shows that nothing was stored, and a version that is gone keeps a late request from it.
  if (found.verdict === "unchanged" && changes.length > 1 && isForGood(failure, changes))
    return rejected(changes, failure, indexIn(failure, changes), attempt);
  return unknownOutcomes(inDoubt, isConflict ? failure : doubt, attempt).map((outcome, i) => {
    if (found.members[i] !== "gone") return outcome;
    return goneOrDone(outcome.change, { attempts: attempt, removeMissing, cause: doubt });
  });
}

/** Asks the marker of a write in doubt; where there is none, inserts it, so that no attempt can take effect any more. */
async function proveByMarker(
  storage: TableStorage,
  inDoubt: InDoubtWrite,
  { doubt, failure, attempt, signal, retries }: LostAnswer,
): Promise<Outcome[]> {
  const { changes, outbox } = inDoubt;
  const mayBeSwept = mayHaveLostMarker(inDoubt);
  const verdict = await closeWrite(storage, inDoubt, retries, signal);
  if (verdict === undefined || (verdict === "never" && mayBeSwept))
    return unknownOutcomes(inDoubt, doubt, attempt);
  if (verdict === "never") {
    if (outbox !== undefined && isMarkerThere(failure))
      return rejected(changes, abandoned(failure), undefined, attempt);
    const refusal = failure === doubt ? notStored(doubt) : failure;
    return rejected(changes, refusal, indexIn(refusal, changes), attempt);
  }
  return acceptMarked(storage, inDoubt, attempt, signal);
}

/** The changes are stored, as their marker proves; versions that cannot be read now are learnt later. */
export async function acceptMarked(
  storage: TableStorage,
  write: Write,
  attempts: number,
  signal?: AbortSignal,
): Promise<Outcome[]> {
  const rows = await rowsOf(storage, write, signal);
  return acceptRows(write.changes, rows, { evidence: "marker", attempts });
}

/** The rows of a write as they are stored now; none where they cannot be read. */
export const rowsOf = (
  storage: TableStorage,
  write: Write,
  signal: AbortSignal | undefined,
): Promise<readonly (StoredEntity | undefined)[]> => readRows(storage, write, signal).catch(() => []);

/** Reads the rows of a write, in the order of its changes. @throws StorageError */
const readRows = (
  storage: TableStorage,
  { table, changes }: Write,
  signal: AbortSignal | undefined,
): Promise<readonly (StoredEntity | undefined)[]> =>
  readBack(
    storage,
    table,
    changes.map(({ operation }) => keyOfOperation(operation)),
    signal === undefined ? {} : { signal },
  );

const hasEnded = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

interface FoundRows extends Judgement {
  readonly rows: readonly (StoredEntity | undefined)[];
}

/** What the rows prove about a write in doubt; undefined when they cannot be read. */
export async function findRows(
  storage: TableStorage,
  write: Write & Pick<InDoubtWrite, "sentAfter">,
  signal?: AbortSignal,
): Promise<FoundRows | undefined> {
  try {
    const rows = await readRows(storage, write, signal);
    return { ...judgeWrite(write.changes, rows, write.sentAfter), rows };
  } catch {
    return undefined;
  }
}

/** The changes are stored, as their rows prove. */
export function acceptRows(
  changes: readonly ChangeSet[],
  rows: readonly (StoredEntity | undefined)[],
  proof: { readonly evidence: Evidence } & GoneOptions,
): Outcome[] {
  const { evidence, attempts } = proof;
  return changes.map((change, i) => {
    if (change.after === undefined && evidence === "content") return goneOrDone(change, proof);
    const row = change.after === undefined ? undefined : rows[i];
    const outcome = committed(change, row && etagOf(row), attempts, evidence);
    return { ...outcome, isReadBack: true, ...(row !== undefined && { row }) };
  });
}

/** How the removal of a row that is gone is reported. */
interface GoneOptions {
  readonly attempts: number;
  readonly removeMissing?: RemoveMissing | undefined;
  /** The failure that left it in doubt. */
  readonly cause?: unknown;
}

/** The outcome of a removal whose response was lost, and whose row no longer exists. */
export const goneOrDone = (change: ChangeSet, { attempts, removeMissing, cause }: GoneOptions): Outcome =>
  removeMissing === "error"
    ? goneOutcome(change, cause, attempts)
    : { ...committed(change, undefined, attempts, "gone"), isReadBack: true };

/** Whether a refused condition can never hold again: a version does not come back, while a key may become free. */
function isForGood(failure: StorageError, changes: readonly ChangeSet[]): boolean {
  const reason = conflictReason(failure);
  if (reason !== "missing") return reason === "etag";
  const index = indexIn(failure, changes);
  const operation = index === undefined ? undefined : changes[index]?.operation;
  return operation !== undefined && conditionOf(operation) !== undefined;
}

const indexIn = ({ index }: StorageError, changes: readonly ChangeSet[]): number | undefined =>
  index !== undefined && index < changes.length ? index : undefined;

/** Which operation made a transaction fail: as the service says, else the one whose row is in conflict. */
export async function culpritOf(
  storage: TableStorage,
  { table, changes }: Write,
  failure: StorageError,
): Promise<number | undefined> {
  const named = indexIn(failure, changes);
  const reason = conflictReason(failure);
  if (named !== undefined || reason === undefined || changes.length === 1) return named;
  const found = await findRows(storage, { table, changes, sentAfter: undefined });
  if (found === undefined) return undefined;
  const isCulprit = ({ operation }: ChangeSet, row: StoredEntity | undefined): boolean => {
    if (operation.type === "insert") return reason === "exists" && row !== undefined;
    if (!("etag" in operation)) return false;
    if (row === undefined) return reason === "missing";
    return reason === "etag" && operation.etag !== "*" && etagOf(row) !== operation.etag;
  };
  const index = changes.findIndex((change, i) => isCulprit(change, found.rows[i]));
  return index < 0 ? undefined : index;
}
