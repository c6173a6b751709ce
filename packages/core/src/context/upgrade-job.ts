import { randomUUID } from "node:crypto";
import type { EntityKey, StoredEntity } from "../edm/stored-entity.ts";
import { StorageError } from "../errors/storage-error.ts";
import { compare, textLiteral } from "../filter/filter-node.ts";
import { escaped } from "../keys/escaped.ts";
import { isTransient } from "../storage/retry-policy.ts";
import type { ContinuationToken, RequestOptions, TableStorage } from "../storage/table-storage.ts";

/** Where jobs keep how far they are. */
export const jobsTable = "PartitaJobs";

/** How far a job is: every row up to `after` is done or claimed. */
export interface Cursor {
  readonly etag: string;
  /** Undefined at the beginning. */
  readonly after: EntityKey | undefined;
  readonly isAtEnd: boolean;
  readonly pass: number;
}

/** Rows that one worker is at: those behind `from`, up to `to`. */
export interface Claim {
  readonly id: string;
  readonly etag: string;
  readonly from: EntityKey | undefined;
  readonly to: EntityKey;
  readonly beat: number;
}

/**
 * A job that several workers share: one row says how far it is, and one for each page that somebody is at. Workers agree
 * by the ETags of these rows alone, and no clocks are compared; what they do stays right whoever does it twice, by the
 * ETags of the rows themselves.
 */
export class UpgradeJob {
  readonly #storage: TableStorage;
  readonly #name: string;
  readonly #options: RequestOptions;

  constructor(storage: TableStorage, name: string, options: RequestOptions) {
    this.#storage = storage;
    // Any text may name a job; keys take less.
    this.#name = escaped.encode(name) ?? name;
    this.#options = options;
  }

  /** Where the job is; a new one begins. */
  async open(): Promise<Cursor> {
    await this.#storage.createTable(jobsTable, this.#options).catch(unless("TableAlreadyExists"));
    const entity = { ...this.#key("cursor"), IsAtEnd: false, Pass: 1 };
    await this.#storage
      .write(jobsTable, { type: "insert", entity }, this.#options)
      .catch(unless("EntityAlreadyExists"));
    return this.read();
  }

  async read(): Promise<Cursor> {
    const { PartitionKey: partitionKey, RowKey: rowKey } = this.#key("cursor");
    const row = (await this.#storage.get(jobsTable, { partitionKey, rowKey }, this.#options)) as StoredEntity;
    return {
      etag: row["odata.etag"] as string,
      after: keyIn(row, "After"),
      isAtEnd: row["IsAtEnd"] === true,
      pass: Number(row["Pass"]),
    };
  }

  /** Claims the rows up to `to`, and moves the cursor there; undefined when another worker was faster. */
  async claim(cursor: Cursor, to: EntityKey): Promise<Claim | undefined> {
    const id = `claim!${randomUUID()}`;
    const moved = { ...this.#key("cursor"), ...keyAs("After", to) };
    const entity = {
      ...this.#key(id),
      ...(cursor.after && keyAs("From", cursor.after)),
      ...keyAs("To", to),
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
      return { id, etag: inserted?.etag as string, from: cursor.after, to, beat: 0 };
    } catch (error) {
      // Whoever got no answer asks whether the claim is there.
      if (isTransient(error)) return (await this.claims()).find((claim) => claim.id === id);
      return unless("UpdateConditionNotSatisfied")(error);
    }
  }

  /** Says that no rows are left behind the cursor; false when another worker was faster. */
  async finish(cursor: Cursor): Promise<boolean> {
    return this.#moveCursor(cursor, { IsAtEnd: true });
  }

  /** Begins again from the first row; false when another worker was faster. */
  async restart(cursor: Cursor): Promise<boolean> {
    const entity = { ...this.#key("cursor"), IsAtEnd: false, Pass: cursor.pass + 1 };
    return this.#replace(entity, cursor.etag);
  }

  /** Shows that the claim's worker is alive; undefined when the claim is another's by now. */
  async renew(claim: Claim): Promise<Claim | undefined> {
    const beat = claim.beat + 1;
    const entity = { ...this.#key(claim.id), Beat: beat };
    const written = await this.#storage
      .write(jobsTable, { type: "merge", entity, etag: claim.etag }, this.#options)
      .catch(unless("UpdateConditionNotSatisfied", "ResourceNotFound"));
    return written?.etag === undefined ? undefined : { ...claim, etag: written.etag, beat };
  }

  /** Gives a claim back once its rows are done. One that another worker took over stays with it. */
  async release(claim: Claim): Promise<void> {
    const { PartitionKey: partitionKey, RowKey: rowKey } = this.#key(claim.id);
    await this.#storage
      .write(jobsTable, { type: "delete", key: { partitionKey, rowKey }, etag: claim.etag }, this.#options)
      .catch(unless("UpdateConditionNotSatisfied", "ResourceNotFound"));
  }

  /** Pages that some worker is at, or was when it ended. */
  async claims(): Promise<readonly Claim[]> {
    const { PartitionKey } = this.#key("claim!");
    const filter = {
      op: "and" as const,
      nodes: [
        compare("eq", "PartitionKey", textLiteral(PartitionKey)),
        compare("ge", "RowKey", textLiteral("claim!")),
        compare("lt", "RowKey", textLiteral('claim"')),
      ],
    };
    const claims: Claim[] = [];
    let after: ContinuationToken | undefined;
    do {
      const page = await this.#storage.query(jobsTable, { filter, ...(after && { after }) }, this.#options);
      for (const row of page.entities)
        claims.push({
          id: row.RowKey,
          etag: row["odata.etag"] as string,
          from: keyIn(row, "From"),
          to: keyIn(row, "To") as EntityKey,
          beat: Number(row["Beat"]),
        });
      after = page.next;
    } while (after !== undefined);
    return claims;
  }

  #key(RowKey: string): { readonly PartitionKey: string; readonly RowKey: string } {
    return { PartitionKey: this.#name, RowKey };
  }

  #moveCursor({ etag }: Cursor, change: { readonly IsAtEnd: boolean }): Promise<boolean> {
    const operation = { type: "merge", entity: { ...this.#key("cursor"), ...change }, etag } as const;
    return this.#storage.write(jobsTable, operation, this.#options).then(
      () => true,
      (error: unknown) => refusedOr(error),
    );
  }

  #replace(entity: StoredEntity, etag: string): Promise<boolean> {
    return this.#storage.write(jobsTable, { type: "replace", entity, etag }, this.#options).then(
      () => true,
      (error: unknown) => refusedOr(error),
    );
  }
}

function refusedOr(error: unknown): boolean {
  unless("UpdateConditionNotSatisfied")(error);
  return false;
}

/** Lets the named refusals pass, as undefined. */
const unless =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (error instanceof StorageError && codes.includes(error.serviceCode ?? "")) return undefined;
    throw error;
  };

const keyAs = (name: string, { partitionKey, rowKey }: EntityKey): Record<string, string> => ({
  [`${name}PK`]: partitionKey,
  [`${name}RK`]: rowKey,
});

function keyIn(row: StoredEntity, name: string): EntityKey | undefined {
  const [partitionKey, rowKey] = [row[`${name}PK`], row[`${name}RK`]];
  return partitionKey === undefined
    ? undefined
    : { partitionKey: String(partitionKey), rowKey: String(rowKey) };
}
