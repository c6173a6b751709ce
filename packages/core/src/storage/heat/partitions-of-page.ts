import type { StoredEntity } from "../../edm/stored-entity.ts";
import type { ReadRow, RowReader } from "../row-reader.ts";
import { pageOfRows, rowsIn, takeRows } from "../rows.ts";
import type { Page } from "../table-storage.ts";
import type { CountEntities } from "./partition-heat.ts";

/** Counts the rows of a page, partition by partition. Rows that a reader made of bytes are not parsed for it. */
export function countRows(page: Page, count: CountEntities): void {
  const made = rowsIn(page);
  const { reader } = made ?? {};
  if (made === undefined || reader?.partitionKeyOf === undefined)
    countRuns(page.entities, ({ PartitionKey }) => PartitionKey, count);
  else countRuns(made.rows, (row) => reader.partitionKeyOf?.(row) as string, count);
}

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

/** A reader that notes the PartitionKey of each row, in the place of one that cannot say it. */
export const keyedReader = (reader: RowReader): RowReader => ({
  readList: (bytes, start, parse) => reader.readList(bytes, start, parse),
  readBody(body) {
    const row = reader.readBody(body);
    return row && new KeyedRow(row, body.partitionKey);
  },
  partitionKeyOf: (row) => (KeyedRow.is(row) ? row.partitionKey : (row as StoredEntity).PartitionKey),
});

/** The same page, with the rows as the reader itself made them. */
export function handOver(page: Page, keyed: RowReader, reader: RowReader): Page {
  const rows = takeRows(page, keyed);
  if (rows === undefined) return page;
  const own = rows.map((row) => (KeyedRow.is(row) ? row.row : row));
  return pageOfRows(own, reader, () => page.entities, page.next);
}
