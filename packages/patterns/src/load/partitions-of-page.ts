import type { StoredEntity } from "@partita/core/storage";
import type { ReadRow, RowReader } from "@partita/core/internal";
import type { CountEntities } from "./partition-load.ts";

/** Counts the entities of a page by partition. */
export const countEntities = (entities: readonly StoredEntity[], count: CountEntities): void =>
  countRuns(entities, ({ PartitionKey }) => PartitionKey, count);

/** Counts the rows of a reader without parsing them. */
export const countRows = (rows: Rows, reader: KeyedReader, count: CountEntities): void =>
  countRuns(rows, (row) => reader.partitionKeyOf(row), count);

type Rows = readonly (ReadRow | StoredEntity)[];

/** A reader that knows the partition of each row of a page. */
type KeyedReader = RowReader & Required<Pick<RowReader, "partitionKeyOf">>;

/** Rows of one partition are adjacent, so this counts runs of equal keys. */
function countRuns<Row>(rows: readonly Row[], keyOf: (row: Row) => string, count: CountEntities): void {
  let from = 0;
  let partitionKey = "";
  for (let i = 0; i < rows.length; i++) {
    const key = keyOf(rows[i] as Row);
    if (key === partitionKey) continue;
    if (i > from) count(partitionKey, i - from);
    from = i;
    partitionKey = key;
  }
  if (rows.length > from) count(partitionKey, rows.length - from);
}

/** Marks keyed rows. A stored entity may have a member of any name, but no symbol. */
const keyed = Symbol("keyed row");

/** A row with its PartitionKey, for a reader that does not return it. */
class KeyedRow {
  static {
    Object.defineProperty(this.prototype, keyed, { value: true });
  }

  readonly row: ReadRow;
  readonly partitionKey: string;

  constructor(row: ReadRow, partitionKey: string) {
    this.row = row;
    this.partitionKey = partitionKey;
  }

  static is(row: object): row is KeyedRow {
    return (row as { readonly [keyed]?: true })[keyed] === true;
  }
}

/** The reader, or a wrapper that records the PartitionKey of each row if the reader does not know it. */
export function keyedReader(reader: RowReader): KeyedReader {
  if (reader.partitionKeyOf !== undefined) return reader as KeyedReader;
  return {
    ...(reader.projects === true && { projects: true }),
    readList: (bytes, start, parse) => reader.readList(bytes, start, parse),
    readBody(body) {
      const row = reader.readBody(body);
      return row && new KeyedRow(row, body.partitionKey);
    },
    partitionKeyOf: (row) => (KeyedRow.is(row) ? row.partitionKey : (row as StoredEntity).PartitionKey),
  };
}

/** The original rows of the reader. */
export const withoutKeys = (rows: Rows): Rows => rows.map((row) => (KeyedRow.is(row) ? row.row : row));
