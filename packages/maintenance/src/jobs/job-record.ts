// `table-job.ts` calls this file to store the progress of a job in the table `PartitaJobs`: one row for the cursor,
// and one for each claimed page. Every change is conditional on an ETag, so workers of several processes can share a
// job.

import { type EntityKey, ModelError, StorageError, type TableStorage } from "@partita/core";
import { beginsWith, followPages, internalTables, isOvertaken, isTransient } from "@partita/core/internal";
import { etagOf } from "@partita/core/internal/jobs";
import { escaped } from "@partita/core/keys";
import { allOf, compare, textLiteral } from "@partita/core/protocol";
import type { ContinuationToken, FilterNode, RequestOptions, StoredEntity } from "@partita/core/storage";

/** The table with the progress of jobs. */
export const jobsTable: string = internalTables.jobs;

/** @throws ModelError `model.jobs-table` for a class in this table */
export function checkJobTable(table: string): void {
  if (table.toLowerCase() === jobsTable.toLowerCase())
    throw new ModelError(
      "model.jobs-table",
      `The table ${jobsTable} is reserved for the progress of jobs. Choose another name for your table.`,
    );
}

/** A position in a table: after a key or, in a storage without key order, at a continuation token. */
export type Position = EntityKey | { readonly token: ContinuationToken };

/** The progress of a job: every row up to `after` is done or claimed. */
export interface Cursor {
  readonly etag: string;
  /** Undefined at the beginning. */
  readonly after: Position | undefined;
  readonly isAtEnd: boolean;
  readonly pass: number;
}

/** Rows that one worker is working on: those after `from`, up to `to`, or to the end. */
export interface Claim {
  readonly id: string;
  readonly owner: string;
  readonly etag: string;
  readonly from: Position | undefined;
  readonly to: Position | undefined;
  readonly beat: number;
  /** Whether its worker ended before the rows were done, and marked the claim. */
  readonly isAbandoned: boolean;
}

/**
 * The stored form of a job that several workers share: one row contains the cursor, and each claimed page has its own
 * row. Workers coordinate only through the ETags of these rows; no clocks are compared.
 */
export class JobRecord {
  readonly #storage: TableStorage;
  readonly #name: string;
  readonly #options: RequestOptions;

  constructor(storage: TableStorage, name: string, options: RequestOptions) {
    this.#storage = storage;
    // Any text may name a job, but keys allow fewer characters.
    this.#name = escaped.encode(name) ?? name;
    this.#options = options;
  }

  /** The cursor of the job, which is created if it does not exist. */
  async open(): Promise<Cursor> {
    await this.#storage.createTable(jobsTable, this.#options).catch(unless("TableAlreadyExists"));
    const entity = { ...this.#key("cursor"), IsAtEnd: false, Pass: 1 };
    const insert = this.#storage.write(jobsTable, { type: "insert", entity }, this.#options);
    await insert.catch(unless("EntityAlreadyExists"));
    return this.read();
  }

  async read(): Promise<Cursor> {
    return (await this.find()) as Cursor;
  }

  /** The cursor; undefined if the job does not exist. */
  async find(): Promise<Cursor | undefined> {
    const row = await this.#get("cursor").catch(unless("TableNotFound"));
    if (row === undefined) return undefined;
    return {
      etag: etagOf(row) as string,
      after: positionIn(row, "After"),
      isAtEnd: row["IsAtEnd"] === true,
      pass: Number(row["Pass"]),
    };
  }

  /**
   * Claims the rows up to `to`, and moves the cursor there; without `to`, up to the end.
   *
   * @returns undefined if another worker moved the cursor first
   */
  async claim(cursor: Cursor, to: Position | undefined): Promise<Claim | undefined> {
    const [id, owner] = [`claim!${crypto.randomUUID()}`, crypto.randomUUID()];
    const moved = {
      ...this.#key("cursor"),
      ...(to === undefined ? { IsAtEnd: true } : positionAs("After", to)),
    };
    const entity = {
      ...this.#key(id),
      ...positionAs("From", cursor.after),
      ...positionAs("To", to),
      Owner: owner,
      Beat: 0,
    };
    try {
      const [, inserted] = await this.#storage.transact(
        jobsTable,
        [
          { type: "merge", entity: moved, etag: cursor.etag },
          { type: "insert", entity },
        ],
        this.#options,
      );
      return {
        id,
        owner,
        etag: inserted?.etag as string,
        from: cursor.after,
        to,
        beat: 0,
        isAbandoned: false,
      };
    } catch (error) {
      // After a lost response, only the claim's own row shows whether it was stored.
      const found = isTransient(error) ? await this.#find(id) : undefined;
      return found ?? unless("UpdateConditionNotSatisfied")(error);
    }
  }

  /** Records that no rows are left after the cursor; false when another worker moved it first. */
  finish({ etag }: Cursor): Promise<boolean> {
    return this.#write({ type: "merge", entity: { ...this.#key("cursor"), IsAtEnd: true }, etag });
  }

  /** Starts again from the first row; false if another worker moved the cursor first. */
  restart({ etag, pass }: Cursor): Promise<boolean> {
    const entity = { ...this.#key("cursor"), IsAtEnd: false, Pass: pass + 1 };
    return this.#write({ type: "replace", entity, etag });
  }

  /**
   * Renews a claim, which shows that its worker is alive, or takes it over for a new owner.
   *
   * @returns undefined if the claim now belongs to another worker
   */
  async renew(claim: Claim, owner: string = claim.owner): Promise<Claim | undefined> {
    const beat = claim.beat + 1;
    const entity = { ...this.#key(claim.id), Owner: owner, Beat: beat, IsAbandoned: false };
    try {
      const { etag } = await this.#storage.write(
        jobsTable,
        { type: "merge", entity, etag: claim.etag },
        this.#options,
      );
      return { ...claim, owner, etag: etag as string, beat, isAbandoned: false };
    } catch (error) {
      // It may have been stored although the response was lost. Then the claim still belongs to this owner.
      const found = isTransient(error) || isOvertaken(error) ? await this.#find(claim.id) : undefined;
      if (found?.owner === owner) return found;
      return unless("UpdateConditionNotSatisfied", "ResourceNotFound")(error);
    }
  }

  /** Takes over the claim of a worker that ended. @returns undefined when another worker took it first */
  takeOver(claim: Claim): Promise<Claim | undefined> {
    return this.renew(claim, crypto.randomUUID());
  }

  /** Deletes a claim after its rows are done. A claim that another worker took over stays. */
  async release({ id, etag }: Claim): Promise<void> {
    const { PartitionKey: partitionKey, RowKey: rowKey } = this.#key(id);
    const removal = this.#storage.write(
      jobsTable,
      { type: "delete", key: { partitionKey, rowKey }, etag },
      this.#options,
    );
    await removal.catch(unless("UpdateConditionNotSatisfied", "ResourceNotFound"));
  }

  /**
   * Marks a claim as abandoned, so another worker can take it over immediately. This is optional, and is sent even
   * after the signal: a claim that is not renewed is also taken over, only later.
   */
  async abandon({ id, etag }: Claim): Promise<void> {
    const entity = { ...this.#key(id), IsAbandoned: true };
    await this.#storage.write(jobsTable, { type: "merge", entity, etag }).catch(() => undefined);
  }

  /** The claims of running workers, and those that ended workers left. */
  async claims(): Promise<readonly Claim[]> {
    const { PartitionKey } = this.#key("claim!");
    const ofJob = compare("eq", "PartitionKey", textLiteral(PartitionKey));
    const filter = allOf([ofJob, beginsWith("RowKey", "claim!")]) as FilterNode;
    const claims: Claim[] = [];
    for await (const { entities } of followPages(this.#storage, jobsTable, { filter }, this.#options))
      claims.push(...entities.map(claimIn));
    return claims;
  }

  async #find(id: string): Promise<Claim | undefined> {
    const row = await this.#get(id);
    return row && claimIn(row);
  }

  #get(id: string): Promise<StoredEntity | undefined> {
    const { PartitionKey: partitionKey, RowKey: rowKey } = this.#key(id);
    return this.#storage.get(jobsTable, { partitionKey, rowKey }, this.#options);
  }

  async #write(operation: Parameters<TableStorage["write"]>[1]): Promise<boolean> {
    const written = await this.#storage
      .write(jobsTable, operation, this.#options)
      .catch(unless("UpdateConditionNotSatisfied"));
    return written !== undefined;
  }

  #key(RowKey: string): { readonly PartitionKey: string; readonly RowKey: string } {
    return { PartitionKey: this.#name, RowKey };
  }
}

/** Restarts an interrupted job, if there is one. */
export async function restartJob(
  storage: TableStorage,
  name: string,
  options: RequestOptions,
): Promise<void> {
  const record = new JobRecord(storage, name, options);
  await record.restart(await record.open());
}

/** Returns undefined for the named refusals. */
const unless =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (StorageError.is(error) && codes.includes(refusalCode(error))) return undefined;
    throw error;
  };

/** The code of a refusal; if a proxy removed it, the code that the status implies. */
function refusalCode({ serviceCode, status, applied }: StorageError): string {
  if (serviceCode !== undefined || applied !== "no") return serviceCode ?? "";
  return status === 412 ? "UpdateConditionNotSatisfied" : status === 404 ? "ResourceNotFound" : "";
}

function positionAs(name: string, position: Position | undefined): Record<string, string> {
  if (position === undefined) return {};
  if ("token" in position) return { [`${name}Token`]: position.token };
  return { [`${name}PK`]: position.partitionKey, [`${name}RK`]: position.rowKey };
}

function positionIn(row: StoredEntity, name: string): Position | undefined {
  const [partitionKey, rowKey, token] = [row[`${name}PK`], row[`${name}RK`], row[`${name}Token`]];
  if (token !== undefined) return { token: String(token) as ContinuationToken };
  return partitionKey === undefined
    ? undefined
    : { partitionKey: String(partitionKey), rowKey: String(rowKey) };
}

const claimIn = (row: StoredEntity): Claim => ({
  id: row.RowKey,
  owner: String(row["Owner"]),
  etag: etagOf(row) as string,
  from: positionIn(row, "From"),
  to: positionIn(row, "To"),
  beat: Number(row["Beat"]),
  isAbandoned: row["IsAbandoned"] === true,
});
