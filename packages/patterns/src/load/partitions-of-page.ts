import type { StoredEntity } from "@partita/core/storage";
import type { ReadRow, RowReader } from "@partita/core/internal";
import type { CountEntities } from "./partition-load.ts";

/** Counts the entities of a page, partition by partition. */
export const countEntities = (entities: readonly StoredEntity[], count: CountEntities): void =>
  countRuns(entities, ({ PartitionKey }) => PartitionKey, count);

/** Counts the rows that a reader made, which are not parsed for it. */
export const countRows = (rows: Rows, reader: KeyedReader, count: CountEntities): void =>
  countRuns(rows, (row) => reader.partitionKeyOf(row), count);

type Rows = readonly (ReadRow | StoredEntity)[];

/** A reader that can say of each row of a page in which partition it is. */
type KeyedReader = RowReader & Required<Pick<RowReader, "partitionKeyOf">>;

/** Rows of one partition follow each other, so that few are counted one by one. */
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

/** Marks keyed rows: a stored entity may have a member of any name, but no symbol. */
const keyed = Symbol("keyed row");

/** A row with its PartitionKey, for a reader that does not know it any more. */
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

/** The reader, or one that notes the PartitionKey of each row where the reader itself cannot say it. */
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

/** The rows as the reader itself made them. */
export const withoutKeys = (rows: Rows): Rows => rows.map((row) => (KeyedRow.is(row) ? row.row : row));
