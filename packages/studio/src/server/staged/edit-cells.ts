import { withoutLinks } from "@partita/core/internal";
import type { OpenRow } from "../../api/staged.ts";
import type { RefusedCell, RowEdit } from "../../api/grid-edits.ts";
import type { RowKey } from "../../api/cells.ts";
import { RequestError } from "../request-error.ts";
import { responseOf } from "../http/run-route.ts";
import type { Staging } from "./staging.ts";

/**
 * Stages new values of one row's cells, each separately, so one that is refused does not stop the others.
 * Returns the refused ones.
 *
 * @param isDeleted - whether the row of an id is staged to be deleted
 */
export async function editCells(
  staging: Staging,
  table: string,
  { className, partitionKey, rowKey, etag, changes }: RowEdit,
  isDeleted: (id: string) => boolean,
): Promise<readonly RefusedCell[]> {
  const key = { partitionKey, rowKey };
  const open = await openIfThere(staging, table, className, key);
  if (open?.etag !== etag)
    return [{ ...key, message: "The row was changed or deleted since it was read. Run the query again." }];
  if (isDeleted(open.id))
    return [{ ...key, message: "The row is staged to be deleted. Discard that change first." }];
  return changes.flatMap((change): RefusedCell[] => {
    const message = refusalOf(() => staging.edit(open.id, [change]));
    return message === undefined ? [] : [{ ...key, name: change.name, message }];
  });
}

/** The message of a refused change. Undefined if it was accepted. */
export function refusalOf(change: () => void): string | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    const { status, json } = responseOf(error);
    if (status >= 500) throw error;
    return withoutLinks((json as { readonly message: string }).message);
  }
}

/** Undefined for a row that does not exist. */
export async function openIfThere(
  staging: Staging,
  table: string,
  className: string | undefined,
  key: RowKey,
): Promise<OpenRow | undefined> {
  try {
    return await staging.open(table, className, key);
  } catch (error) {
    if (RequestError.is(error) && error.status === 404) return undefined;
    throw error;
  }
}
