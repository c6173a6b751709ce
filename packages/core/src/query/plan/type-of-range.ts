import { startingWith, type TextRange } from "../../keys/text-range.ts";
import { prefixOf } from "../../model/build-indexes.ts";
import type { MergedRange } from "./merge-ranges.ts";
import { type QueryType, typeOf } from "./query-plan.ts";

/**
 * The type of a request for a range. Where all keys of a class begin with one text, the range that holds all of them
 * reads as much of a partition as if they had none: it is rated as the partition. A kind's name is no such text, since
 * it leaves out the rows of other kinds.
 */
export function typeOfRange({ bounds, kinds }: MergedRange): QueryType {
  const type = typeOf(bounds);
  const isWhole =
    type === "row range scan" &&
    kinds.every(
      ({ kind: { model } }) =>
        model.kind?.key !== "prefix" && isWholeOf(bounds.rowKey, prefixOf(model.rowKey)),
    );
  return isWhole ? "partition scan" : type;
}

/** Whether a range of RowKeys holds all that begin with a text; without one, whether it holds all RowKeys. */
export function isWholeOf({ lower, upper }: TextRange, prefix: string | undefined): boolean {
  if (prefix === undefined) return lower === undefined && upper === undefined;
  if (lower !== undefined && lower.text > prefix) return false;
  if (upper === undefined) return true;
  const end = startingWith(prefix).upper;
  return end !== undefined && upper.text >= end.text;
}
