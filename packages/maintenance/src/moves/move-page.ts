// `move-rows.ts` calls this file with the rows of one page. It moves them together, in as few transactions as possible,
// by the steps of core's `work/save/move-row.ts`. The rows of a refused transaction are moved one by one.

import { ConflictError, type EntityKey, StorageError, TableError, type TableStorage } from "@partita/core";
import {
  bytesInTransaction,
  keyOfOperation,
  maxTransactionBytes,
  maxTransactionOperations,
  type Patiently,
} from "@partita/core/internal";
import { etagOf, inParallel, moveRow, reservedRow, type RowMove } from "@partita/core/internal/jobs";
import type { RequestOptions, StoredEntity, WriteOperation, WriteResult } from "@partita/core/storage";

/** A row under its former key, and its move. */
export interface MovableRow {
  readonly row: StoredEntity;
  readonly move: RowMove;
  /** The row under its new key. */
  readonly moved: StoredEntity;
  readonly oldIndexRows: readonly EntityKey[];
  readonly newIndexRows: readonly WriteOperation[];
}

export interface MovePageOptions extends RequestOptions {
  readonly patiently: Patiently;
  readonly onMoved: (row: MovableRow) => void;
  /** Called for a row that is moved alone, because another writer came first or storage refused its transaction. */
  readonly onAlone: (row: MovableRow) => void;
  readonly onLeft: (row: MovableRow, reason: Error) => void;
}

/** Moves rows of one page. @throws StorageError for failures that are not about a row */
export async function movePage(
  storage: TableStorage,
  rows: readonly MovableRow[],
  options: MovePageOptions,
): Promise<void> {
  await new PageMover(storage, options).move(rows);
}

/** A row that is being moved, with the ETags from the last step at both keys. */
interface Moving extends MovableRow {
  readonly etag?: string;
  readonly reserved?: string;
}

/** One step for many rows: a transaction has the first operation of each row, followed by those of index rows. */
interface Step {
  readonly at: "from" | "to";
  readonly operationsOf: (moving: Moving) => readonly WriteOperation[];
  readonly next: (moving: Moving, result: WriteResult) => Moving;
}

class PageMover {
  readonly #storage: TableStorage;
  readonly #options: MovePageOptions;
  readonly #request: RequestOptions;

  constructor(storage: TableStorage, options: MovePageOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#request = { signal: options.signal };
  }

  async move(rows: readonly MovableRow[]): Promise<void> {
    // Index rows within a partition may keep their keys, and unique values of a table are reserved for each row. A
    // transaction of several rows can't take that into account.
    const isAlone = (each: MovableRow): boolean =>
      each.row["_row"] !== undefined ||
      (each.move.uniqueValues?.(each.moved) ?? []).length > 0 ||
      (staysInPartition(each) && hasIndexRows(each));
    const alone = rows.filter(isAlone);
    const fresh = rows.filter((each) => !isAlone(each));
    const done = [
      ...(await this.#run(fresh.filter(staysInPartition), [atOnce], alone)),
      ...(await this.#run(
        fresh.filter((each) => !staysInPartition(each)),
        steps,
        alone,
      )),
    ];
    for (const each of done) this.#options.onMoved(each);
    for (const each of alone) await this.#moveAlone(each);
  }

  /** Runs rows through the steps together; those that cannot continue go to `alone`. */
  async #run(
    rows: readonly MovableRow[],
    taken: readonly Step[],
    alone: MovableRow[],
  ): Promise<readonly Moving[]> {
    let moving: readonly Moving[] = rows;
    for (const step of taken) {
      const groups = groupsOf(moving, step);
      const ends = await inParallel(groups, concurrency, (group) => this.#send(group, step));
      for (const [i, group] of groups.entries()) if (ends[i] === undefined) alone.push(...group.rows);
      moving = ends.flatMap((end) => end ?? []);
    }
    return moving;
  }

  /** Undefined if storage refuses the transaction, or another writer came first. */
  async #send({ rows, operations }: Group, step: Step): Promise<readonly Moving[] | undefined> {
    const [first] = rows;
    if (first === undefined) return [];
    const { table } = first.move[step.at];
    try {
      const results = await this.#options.patiently(() =>
        this.#storage.transact(table, operations, this.#request),
      );
      return rows.map((moving, i) => step.next(moving, results[i] ?? {}));
    } catch (error) {
      if (isAboutRows(error)) return undefined;
      throw error;
    }
  }

  async #moveAlone(moving: MovableRow): Promise<void> {
    const { patiently, onAlone, onMoved, onLeft } = this.#options;
    onAlone(moving);
    try {
      const { type } = await patiently(() => moveRow(this.#storage, moving.move, this.#request));
      if (type === "moved") onMoved(moving);
      if (type === "both") onLeft(moving, bothStored(moving.move));
    } catch (error) {
      // A row that was changed may not have a new key any more.
      if (!isAboutRows(error) && (StorageError.is(error) || !TableError.is(error))) throw error;
      onLeft(moving, error);
    }
  }
}

/** Maximum number of concurrent transactions. */
const concurrency = 8;

const staysInPartition = ({ move: { from, to } }: MovableRow): boolean =>
  from.table.toLowerCase() === to.table.toLowerCase() && from.key.partitionKey === to.key.partitionKey;

const conditionOf = ({ etag, row }: Moving): string => etag ?? (etagOf(row) as string);

const keysOf = ({ partitionKey, rowKey }: EntityKey) => ({ PartitionKey: partitionKey, RowKey: rowKey });

const hasIndexRows = ({ oldIndexRows, newIndexRows }: MovableRow): boolean =>
  oldIndexRows.length + newIndexRows.length > 0;

/** Within a partition: one transaction. */
const atOnce: Step = {
  at: "from",
  operationsOf: (moving) => [
    { type: "insert", entity: moving.moved },
    { type: "delete", key: moving.move.from.key, etag: conditionOf(moving) },
  ],
  next: (moving) => moving,
};

/** To another partition, as in `move-row.ts`: reserve, mark, write, delete. */
const steps: readonly Step[] = [
  {
    at: "to",
    operationsOf: ({ move }) => [{ type: "insert", entity: { ...keysOf(move.to.key), _row: reservedRow } }],
    next: (moving, { etag }) => ({ ...moving, ...(etag !== undefined && { reserved: etag }) }),
  },
  {
    at: "from",
    operationsOf: (moving) => [
      {
        type: "merge",
        entity: { ...keysOf(moving.move.from.key), _row: "moved" },
        etag: conditionOf(moving),
      },
    ],
    next: (moving, { etag }) => ({ ...moving, ...(etag !== undefined && { etag }) }),
  },
  {
    at: "to",
    // Without the ETag of its reservation, the row must not be written.
    operationsOf: ({ moved, reserved = unknown, newIndexRows }) => [
      { type: "replace", entity: moved, etag: reserved },
      ...newIndexRows,
    ],
    next: (moving) => moving,
  },
  {
    at: "from",
    operationsOf: (moving) => [
      { type: "delete", key: moving.move.from.key, etag: conditionOf(moving) },
      ...moving.oldIndexRows.map((key) => ({ type: "delete", key, etag: "*" }) as const),
    ],
    next: (moving) => moving,
  },
];

/** An ETag that no row has. */
const unknown = 'W/"unknown"';

interface Group {
  readonly rows: readonly Moving[];
  readonly operations: readonly WriteOperation[];
}

/** Groups of one partition that fit one transaction each; no key is in a group twice. */
function groupsOf(rows: readonly Moving[], { at, operationsOf }: Step): Group[] {
  const groups: {
    rows: Moving[];
    own: WriteOperation[];
    others: WriteOperation[];
    bytes: number;
    keys: Set<string>;
  }[] = [];
  const open = new Map<string, (typeof groups)[number]>();
  for (const moving of rows) {
    const { partitionKey } = moving.move[at].key;
    const [own, ...others] = operationsOf(moving) as [WriteOperation, ...WriteOperation[]];
    const all = [own, ...others];
    const bytes = all.reduce((sum, each) => sum + bytesInTransaction(each), 0);
    const keys = all.map((each) => keyOfOperation(each).rowKey);
    const last = open.get(partitionKey);
    const fits =
      last !== undefined &&
      last.keys.size + keys.length <= maxTransactionOperations &&
      last.bytes + bytes <= maxTransactionBytes &&
      keys.every((key) => !last.keys.has(key));
    const group = fits ? last : { rows: [], own: [], others: [], bytes: 0, keys: new Set<string>() };
    if (!fits) {
      groups.push(group);
      open.set(partitionKey, group);
    }
    group.rows.push(moving);
    group.own.push(own);
    group.others.push(...others);
    group.bytes += bytes;
    for (const key of keys) group.keys.add(key);
  }
  return groups.map((group) => ({ rows: group.rows, operations: [...group.own, ...group.others] }));
}

/** Refused because of rows, not because of storage's state. */
const isAboutRows = (error: unknown): error is StorageError =>
  StorageError.is(error) && error.applied === "no" && [400, 404, 409, 412, 413].includes(error.status ?? 0);

/** Both keys have their own entity: people have to decide which one stays. */
const bothStored = ({ to: { table, key } }: RowMove): ConflictError =>
  new ConflictError(
    "exists",
    `The row under the new key in ${table} (${JSON.stringify(key.partitionKey)}, ${JSON.stringify(key.rowKey)})`,
    undefined,
  );
