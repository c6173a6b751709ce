import { readRows, TransferError } from "@partita/transfer";
import type { StoredEntity, TableStorage } from "@partita/core/storage";
import type { Cell } from "../../api/cells.ts";
import { lineProblem } from "../files/line-problem.ts";
import { responseOf } from "../http/run-route.ts";
import { RequestError } from "../request-error.ts";
import { entityCells } from "../rows/entity-cells.ts";
import { storedCells } from "../rows/stored-cells.ts";
import { storedExtras } from "../rows/stored-extras.ts";
import type { Catalog } from "../tables/catalog.ts";
import { fieldsOf, type KnownClass } from "../tables/describe-class.ts";

/** Maximum rows of one paste. Larger sets are imported from a file. */
const maxPastedRows = 10_000;

/** A row of pasted text, in the page's form, or the reason why it cannot be staged. */
export type PastedRow =
  | {
      readonly key: { readonly partitionKey: string; readonly rowKey: string };
      readonly cells: readonly Cell[];
    }
  | { readonly refused: string };

/**
 * Reads rows from text that the studio, `exportTable` or the command line wrote.
 *
 * @param className - the class to read them with; undefined to read them as stored
 * @throws RequestError for more than 10,000 rows; TransferError for text without rows
 */
export async function pastedRows(
  catalog: Catalog,
  table: string,
  className: string | undefined,
  text: string,
): Promise<readonly PastedRow[]> {
  const known = className === undefined ? undefined : catalog.classNamed(table, className);
  await using scratch = await catalog.core.openStorage("memory:");
  if (known !== undefined) await scratch.createTable(known.model.table);
  const pasted: PastedRow[] = [];
  const onBadLine = (line: TransferError): void => void pasted.push({ refused: `${lineProblem(line)}.` });
  try {
    for await (const row of readRows(text, { onBadLine })) {
      pasted.push(
        known === undefined ? storedForm(catalog, row) : await classForm(catalog, known, scratch, row),
      );
      if (pasted.length > maxPastedRows)
        throw RequestError.wrongInput("Paste at most 10,000 rows. Import larger sets from a file.");
    }
  } catch (error) {
    throw TransferError.is(error) && error.code === "transfer.types" ? untyped() : error;
  }
  return pasted;
}

const untyped = (): RequestError =>
  RequestError.wrongInput(
    "This CSV has columns without types, so nothing is pasted. Import it from a file, where you choose their types.",
  );

const storedForm = ({ core }: Catalog, row: StoredEntity): PastedRow => ({
  key: core.keyOfStored(row),
  cells: storedCells(core, row),
});

/** Reads a row with its class, from a storage in memory. */
async function classForm(
  { core }: Catalog,
  known: KnownClass,
  scratch: TableStorage,
  row: StoredEntity,
): Promise<PastedRow> {
  const name = JSON.stringify([row.PartitionKey, row.RowKey]);
  try {
    // Two of the pasted rows may have the same key.
    await scratch.write(known.model.table, { type: "upsert-replace", entity: row });
    await using context = new core.TableContext(scratch, { undeclared: "ignore" });
    const ofRow = core.odata`PartitionKey eq ${row.PartitionKey} and RowKey eq ${row.RowKey}`;
    const entity = await context.query(known.entityClass).filter(ofRow).scan().first();
    if (entity === undefined) return { refused: `The row ${name} is not a ${known.name}.` };
    const undeclared = storedExtras(core, known, row)?.undeclared ?? [];
    if (undeclared.length > 0)
      return {
        refused: `The row ${name} has ${undeclared.join(", ")}, which ${known.name} does not declare. Paste it under "as stored".`,
      };
    return { key: core.keyOfStored(row), cells: entityCells(core, known, entity) };
  } catch (error) {
    const { json } = responseOf(error);
    return { refused: `The row ${name} is not a ${known.name}: ${(json as { message: string }).message}` };
  }
}

/** The cells of a row that differ from the stored ones. A stored key cannot change. */
export function changedCells(
  pasted: readonly Cell[],
  stored: readonly Cell[],
  known: KnownClass | undefined,
): readonly Cell[] {
  const keys = new Set(
    (known === undefined ? [] : fieldsOf(known.model)).flatMap(({ name, key }) =>
      key === undefined ? [] : name,
    ),
  );
  const values = new Map(stored.map((cell) => [cell[0], JSON.stringify(cell)]));
  return pasted.filter((cell) => !keys.has(cell[0]) && values.get(cell[0]) !== JSON.stringify(cell));
}
