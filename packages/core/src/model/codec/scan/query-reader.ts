import type { RowReader } from "../../../storage/row-reader.ts";
import { type EntityModel, findIndex } from "../../declaration/entity-model.ts";
import type { KindChooser } from "../choose-kind.ts";
import { rowReaderFor } from "./row-reader.ts";

/**
 * The reader for the rows of a query. Each row is an entity, or a copy of one in this index. Undefined if rows have to be
 * parsed.
 */
export const queryReaderFor = (
  chooser: KindChooser,
  index: string | undefined,
  isTracked: boolean,
): RowReader | undefined =>
  index === undefined ? rowReaderFor(chooser, isTracked) : copyReaderFor(chooser, index, isTracked);

/**
 * The reader for rows of an index that copies complete entities: its rows have every part of the entity's key, and
 * the properties at the same positions as the class. Undefined if it copies less, or if a row has to be parsed to
 * find its class.
 */
function copyReaderFor(
  { models, kinds }: KindChooser,
  name: string,
  isTracked: boolean,
): RowReader | undefined {
  const rowsOf = (all: readonly EntityModel[]): EntityModel[] =>
    all.flatMap((model) => {
      const index = findIndex(model, name);
      return index?.copy === "all" ? [index.rows] : [];
    });
  return rowReaderFor({ models: rowsOf(models), kinds: rowsOf(kinds) }, isTracked);
}
