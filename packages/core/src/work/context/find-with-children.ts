import type { EqualTo } from "../../query/build/columns.ts";
import type { Query } from "../../query/query.ts";
import type { FindOptions } from "./entity-reader.ts";

/** Finds one entity with its children, by reading one key range. */
export function findWithChildren(
  query: Query<object>,
  key: object,
  lists: readonly string[],
  { mergeOption, unreadableRows, signal, retry }: FindOptions,
): Promise<object | undefined> {
  let asked = query.where(key as EqualTo<object>);
  for (const relation of lists) asked = asked.include(() => ({ relation: relation as never }));
  if (mergeOption !== undefined) asked = asked.mergeOption(mergeOption);
  if (unreadableRows !== undefined) asked = asked.unreadableRows(unreadableRows);
  return asked.first({ signal, retry });
}
