// `save/send-batches.ts` calls `sendClaimed` for transactions that store or give up values which are unique over their
// table. It claims the new values, sends the transaction, and afterwards releases the old ones. If another program
// refuses the claim, or a row has changed, it starts again with a new claim.

import { checkStrongReads } from "../../model/schema/check-strong-reads.ts";
import { conflictReason } from "../../storage/conflict-reason.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import { keyOfOperation } from "../../storage/write-operation.ts";
import type { Retries } from "../../storage/with-retry.ts";
import { ConflictError } from "../../values/errors/conflict-error.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { TableError } from "../../values/errors/table-error.ts";
import { UniqueValueTaken } from "../../values/errors/unique-value-taken.ts";
import { goneAlready } from "../recovery/after-lost-response.ts";
import type { Write } from "../recovery/attempt.ts";
import { identifyWrites, isMarkerThere } from "../recovery/marker.ts";
import { type Outcome, rejected } from "../recovery/outcome.ts";
import { asStorageError } from "../save/as-storage-error.ts";
import { endMessages } from "../save/end-messages.ts";
import { withStoredNow } from "../save/indexed-transaction.ts";
import type { CheckedOptions } from "../save/save-options.ts";
import type { ChangeSet } from "../unit-of-work/tracked-entity.ts";
import { type Claim, isTooOldError, newClaim } from "./claim.ts";
import { maxRounds } from "./claim-limits.ts";
import type { ClaimPort } from "./claim-port.ts";
import { type ClaimedValue, claimValue } from "./claim-value.ts";
import { type ReleasedValue, releaseValue, withdrawClaim } from "./release-value.ts";
import { checkGivenUp, claimedBy, withClaim } from "./unique-changes.ts";
import { valueBusy } from "./value-taken.ts";

/** Sends transactions for a save. */
export interface ClaimSender {
  readonly storage: RowStorage;
  readonly options: CheckedOptions & { readonly retries: Retries };
  /** Sends a transaction, and reports whether the response to one of its requests was lost. */
  readonly send: (batch: Write) => Promise<{ readonly outcomes: Outcome[]; readonly wasInDoubt: boolean }>;
  /** Whether an outcome is the delete of a row that no longer exists. */
  readonly isMissingDeletion: (outcome: Outcome) => boolean;
}

/** A reservation of this claim. */
interface Reserved {
  readonly value: ClaimedValue;
  readonly etag: string;
}

/** Claims the values of a transaction and sends it. Never rejects. */
export async function sendClaimed(sender: ClaimSender, batch: Write): Promise<Outcome[]> {
  const sending = new ClaimedBatch(sender, batch);
  const outcomes = await sending.run();
  await endMessages(batch, outcomes, sending.wasInDoubt);
  return outcomes;
}

class ClaimedBatch {
  readonly #sender: ClaimSender;
  readonly #port: ClaimPort;
  #batch: Write;
  /** The deletes of rows that no longer exist. */
  readonly #gone: Outcome[] = [];
  wasInDoubt = false;

  constructor(sender: ClaimSender, batch: Write) {
    const { storage, options } = sender;
    this.#sender = sender;
    this.#batch = batch;
    this.#port = { storage, table: batch.table, retries: options.retries, signal: options.signal };
  }

  async run(): Promise<Outcome[]> {
    for (let round = 1; this.#batch.changes.length > 0; round++) {
      const outcomes = await this.#attempt();
      try {
        if (!(await this.#isAgain(outcomes, round))) return [...this.#gone, ...outcomes];
      } catch (error) {
        return [...this.#gone, ...this.#refused(error)];
      }
    }
    return this.#gone;
  }

  /** Claims the values, sends the transaction once, and deletes the reservations that are not needed any more. */
  async #attempt(): Promise<Outcome[]> {
    const { retries } = this.#sender.options;
    const { marker, changes: wanted } = this.#batch as Write & { readonly marker: string };
    const home = keyOfOperation((wanted[0] as ChangeSet).operation).partitionKey;
    const claim = newClaim(marker, home, retries.clock);
    let reserved: readonly Reserved[] = [];
    let released: readonly ReleasedValue[];
    let changes: readonly ChangeSet[];
    try {
      for (const { entry } of wanted) checkStrongReads(this.#sender.storage, entry.model);
      ({ changes, released } = await checkGivenUp(this.#port, wanted));
      const results = await this.#claimAll(claimedBy(changes), claim);
      reserved = results.filter((result) => "etag" in result);
      const failures = results.flatMap((result) => ("error" in result ? [result.error] : []));
      if (failures.length > 0) throw failures.find((error) => UniqueValueTaken.is(error)) ?? failures[0];
    } catch (error) {
      await this.#withdraw(reserved);
      return this.#refused(error);
    }
    const batch = { ...this.#batch, changes: withClaim(changes, marker), claim };
    const { outcomes, wasInDoubt } = await this.#sender.send(batch);
    this.wasInDoubt ||= wasInDoubt;
    const [first] = outcomes;
    if (first?.result.outcome === "committed") await this.#release(released);
    if (first?.result.outcome === "rejected" && !isFenced(first)) await this.#withdraw(reserved);
    return outcomes;
  }

  #claimAll(
    values: readonly ClaimedValue[],
    claim: Claim,
  ): Promise<readonly (Reserved | { readonly error: unknown })[]> {
    return inParallel(values, pointReads, (value) =>
      claimValue(this.#port, value, claim).then(
        (etag) => ({ value, etag }),
        (error: unknown) => ({ error }),
      ),
    );
  }

  /** The transaction was not sent, since a request before it failed. */
  #refused(failure: unknown): Outcome[] {
    const error = TableError.is(failure) ? failure : asStorageError(failure, "no");
    return rejected(this.#batch.changes, error, StorageError.is(error) ? error.index : undefined, 0);
  }

  /** Whether the transaction is sent again, with a new claim and perhaps with other changes. */
  async #isAgain(outcomes: readonly Outcome[], round: number): Promise<boolean> {
    const { storage, options, isMissingDeletion } = this.#sender;
    const { changes, outbox } = this.#batch;
    const [first] = outcomes;
    if (first?.result.outcome !== "rejected" || options.signal?.aborted === true) return false;
    if (isFenced(first) || isTooOldError(first.result.error)) {
      const [value] = claimedBy(changes);
      // The queue knows the messages by the marker.
      if (outbox !== undefined || value === undefined) return false;
      if (round >= maxRounds) throw valueBusy(value);
      this.#send(changes);
      return true;
    }
    // After a lost response, the first message is closed.
    if (round >= maxRounds || (outbox !== undefined && this.wasInDoubt)) return false;
    const at = outcomes.findIndex(({ result }) => ConflictError.is(result.error));
    const [culprit, change] = [outcomes[at], changes[at]];
    if (culprit === undefined || change === undefined) return false;
    const again = await withStoredNow(
      storage,
      change,
      conflictReason(culprit.result.error?.cause),
      options.signal,
    );
    if (again !== undefined) this.#send(changes.with(at, again));
    else if (options.removeMissing === "ignore" && isMissingDeletion(culprit)) {
      this.#gone.push(goneAlready(change, culprit.result.attempts));
      this.#send(changes.toSpliced(at, 1));
    } else return false;
    return true;
  }

  /** The next transaction, with a new marker. */
  #send(changes: readonly ChangeSet[]): void {
    const [batch] = identifyWrites([{ ...this.#batch, changes }]);
    this.#batch = batch as Write;
  }

  /** A reservation that stays is harmless, so failures are ignored. */
  async #release(values: readonly ReleasedValue[]): Promise<void> {
    await inParallel(values, pointReads, (value) => releaseValue(this.#port, value).catch(ignore));
  }

  async #withdraw(reserved: readonly Reserved[]): Promise<void> {
    await inParallel(reserved, pointReads, ({ value, etag }) =>
      withdrawClaim(this.#port, value, etag).catch(ignore),
    );
  }
}

const ignore = (): void => undefined;

/** Whether another program inserted the marker of a transaction, which then can never be applied. */
const isFenced = ({ result: { error } }: Outcome): boolean =>
  StorageError.is(error) &&
  error.code === "storage.not-stored" &&
  StorageError.is(error.cause) &&
  isMarkerThere(error.cause);
