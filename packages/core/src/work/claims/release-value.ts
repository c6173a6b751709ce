// `send-claimed.ts` calls this file after the response to a transaction. A reservation is deleted only if no other program
// can rely on it. One that stays is harmless, since a later claim finds that no row holds its value.

import { reservationKey, reservationOf } from "../../model/codec/reservation-rows.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { type ClaimPort, readRow, tryWrite } from "./claim-port.ts";
import type { ClaimedValue } from "./claim-value.ts";
import { isSameKey } from "../../values/keys/is-same-key.ts";
import { holdsValue } from "./holds-value.ts";

/** A value that a row held until now. */
export interface ReleasedValue {
  /** The RowKey of its row in the index. */
  readonly rowKey: string;
  /** The row that held it. */
  readonly holder: EntityKey;
  /** The claim that brought it to that row. */
  readonly claim: string;
}

/** Deletes the reservation of a value that was given up, unless another claim has replaced it since. */
export async function releaseValue(port: ClaimPort, { rowKey, holder, claim }: ReleasedValue): Promise<void> {
  const key = reservationKey(rowKey);
  const row = await readRow(port, key);
  const found = row && reservationOf(row);
  const [only, another] = found?.holders ?? [];
  if (found?.claim !== claim || only === undefined || another !== undefined || !isSameKey(only, holder))
    return;
  await tryWrite(port, { type: "delete", key, etag: found.etag });
}

/** Deletes the reservation of a claim after its transaction was refused, unless the row holds the value all the same. */
export async function withdrawClaim(port: ClaimPort, value: ClaimedValue, etag: string): Promise<void> {
  const [holder, another] = value.holders;
  if (holder === undefined || another !== undefined || (await holdsValue(port, value, holder))) return;
  await tryWrite(port, { type: "delete", key: reservationKey(value.rowKey), etag });
}
