// `send-claimed.ts`, index builds and moves of rows call `claimValue` before they send a transaction that stores a value
// which is unique over its table. A reservation of the value names the row, and the marker of that transaction. If
// another program's reservation is found, the row that it names is read. If that row lacks the value, the marker of the
// other transaction is inserted first: it can then never be applied. After that, the reservation is replaced.
//
// No clock decides which program gets a value. Each step depends on the version that was read before it. A test explores
// all orders of steps, lost responses, late requests and deaths (`test/work/claims`).

import { markerRow } from "../../model/codec/commit-rows.ts";
import {
  isReservationRow,
  reservationKey,
  reservationOf,
  reservationRow,
  type StoredReservation,
} from "../../model/codec/reservation-rows.ts";
import { etagOf } from "../../model/codec/row-layout.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import type { EntityKey } from "../../values/edm/stored-entity.ts";
import { type Claim, isTooOld, tooOld } from "./claim.ts";
import { maxRounds } from "./claim-limits.ts";
import { type ClaimPort, readRow, tryWrite } from "./claim-port.ts";
import { holdsValue, type UniqueValue } from "./holds-value.ts";
import { isSameKey } from "../../values/keys/is-same-key.ts";
import { foreignRow, valueBusy, valueTaken } from "./value-taken.ts";

/** A value that a transaction stores in a row that did not hold it. */
export interface ClaimedValue extends UniqueValue {
  /** The row that gets it, and the rows that give it up in the same transaction. */
  readonly holders: readonly EntityKey[];
  /** The position of the change in its transaction, for errors. */
  readonly at: number;
}

/** Attempts to insert a marker while responses are lost. */
const maxFences = 5;

/** The longest wait before another program's transaction is refused, in milliseconds, for each round. */
const waitMs = 20;

/**
 * Reserves a value for the transaction of a claim.
 *
 * @returns the ETag of the reservation
 * @throws UniqueValueTaken if another row holds the value, or other programs reserve it again and again; StorageError
 */
export async function claimValue(port: ClaimPort, value: ClaimedValue, claim: Claim): Promise<string> {
  const entity = reservationRow(value.rowKey, value.index.name, {
    holders: value.holders,
    claim: claim.id,
    home: claim.home,
  });
  const write = async (etag: string | undefined): Promise<string | undefined> => {
    if (isTooOld(claim)) throw tooOld();
    const written = await tryWrite(
      port,
      etag === undefined ? { type: "insert", entity } : { type: "replace", entity, etag },
    );
    return typeof written === "string" ? undefined : written.etag;
  };
  let etag = await write(undefined);
  for (let round = 1; etag === undefined; round++) {
    const row = await readRow(port, reservationKey(value.rowKey));
    if (row !== undefined && !isReservationRow(row)) throw foreignRow(value);
    const found = row && reservationOf(row);
    if (found?.claim === claim.id) return found.etag;
    if (round > maxRounds) throw valueBusy(value);
    if (found !== undefined) {
      await checkHolders(port, value, found);
      await port.retries.clock.wait(Math.random() * waitMs * (round - 1), port.signal);
      await fence(port, found);
      // The other transaction may have been first, even if its marker does not exist: a message that serves as the
      // marker is deleted once it is handled.
      await checkHolders(port, value, found);
    }
    etag = await write(row && (etagOf(row) ?? "*"));
  }
  return etag;
}

/** @throws UniqueValueTaken if a row that a reservation names holds the value, and keeps it */
async function checkHolders(
  port: ClaimPort,
  value: ClaimedValue,
  { holders }: StoredReservation,
): Promise<void> {
  for (const holder of holders)
    if (!value.holders.some((own) => isSameKey(own, holder)) && (await holdsValue(port, value, holder)))
      throw valueTaken(value);
}

/** Makes sure that the transaction of a claim is not applied from now on. It may have been applied before. */
export async function fence(port: ClaimPort, { home, claim }: StoredReservation): Promise<void> {
  const entity = markerRow({ partitionKey: home, rowKey: claim }, "closed");
  for (let tries = 1; tries <= maxFences; tries++) {
    const written = await tryWrite(port, { type: "insert", entity });
    if (written !== "unclear") return;
  }
  throw new StorageError(
    "storage.not-sent",
    "Not sent: the storage did not respond while a unique value was reserved.",
    { applied: "no" },
  );
}
