import {
  checkTop,
  contains,
  type EntityKey,
  evaluateFilter,
  keyBoundsOf,
  lookupIn,
  onlyText,
  parsePosition,
  printPosition,
  project,
  type ReadableRows,
  restOf,
  type StoredEntity,
} from "@partita/core/internal/planner";

/** The rows of tables in memory, in key order. It counts what is read. */
export class MemoryRows {
  readonly #tables = new Map<string, StoredEntity[]>();
  readonly read = new Set<StoredEntity>();
  requests = 0;

  /** @returns whether its key was free */
  add(table: string, row: StoredEntity): boolean {
    const rows = this.#tables.get(table) ?? [];
    this.#tables.set(table, rows);
    const at = rows.findIndex((each) => compareKeys(each, row) >= 0);
    if (at !== -1 && compareKeys(rows[at] as StoredEntity, row) === 0) return false;
    rows.splice(at === -1 ? rows.length : at, 0, row);
    return true;
  }

  /** Forgets what the program itself has read. */
  resetCounts(): void {
    this.read.clear();
    this.requests = 0;
  }

  /** All rows, table by table. */
  *all(): Generator<readonly [table: string, row: StoredEntity]> {
    for (const [table, rows] of this.#tables) for (const row of rows) yield [table, row];
  }

  /** The methods that a query reads with. */
  readonly port: ReadableRows = {
    get: async (table, key) => {
      this.requests++;
      const found = this.#tables.get(table)?.find((row) => isAt(row, key));
      if (found !== undefined) this.read.add(found);
      return found;
    },
    readRows: async (table, { filter, select, top, after }) => {
      this.requests++;
      const bounds = keyBoundsOf(filter);
      const page: StoredEntity[] = [];
      if (bounds === undefined) return { rows: page };
      const { partitionKey, rowKey } = bounds;
      const isOne = onlyText(partitionKey) !== undefined;
      const rest = restOf(filter, bounds);
      const from = after && parsePosition(after);
      for (const row of this.#tables.get(table) ?? []) {
        if (from !== undefined && compareKeys(row, { PartitionKey: from[0], RowKey: from[1] }) < 0) continue;
        if (!contains(partitionKey, row.PartitionKey) || (isOne && !contains(rowKey, row.RowKey))) continue;
        if (page.length === checkTop(top))
          return { rows: page, next: printPosition([row.PartitionKey, row.RowKey]) };
        this.read.add(row);
        if (rest === undefined || evaluateFilter(rest, lookupIn(row)))
          page.push(select === undefined ? row : project(row, select));
      }
      return { rows: page };
    },
  };
}

const isAt = (row: StoredEntity, { partitionKey, rowKey }: EntityKey): boolean =>
  row.PartitionKey === partitionKey && row.RowKey === rowKey;

const compareKeys = (a: StoredEntity, b: StoredEntity): number =>
  compare(a.PartitionKey, b.PartitionKey) || compare(a.RowKey, b.RowKey);

/** By UTF-16 code units, as the service sorts. */
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
