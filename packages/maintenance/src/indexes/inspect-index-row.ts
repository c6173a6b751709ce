import type { EntityKey, TableStorage } from "@partita/core";
import { keyOfStored } from "@partita/core/internal";
import {
  etagOf,
  hasSameProperties,
  inParallel,
  pointReads,
  type StoredIndexRow,
} from "@partita/core/internal/jobs";
import type { RequestOptions, StoredEntity } from "@partita/core/storage";
import type { IndexDifference } from "./index-report.ts";
import type { IndexTarget } from "./index-target.ts";
import { claimOf } from "./place-index-rows.ts";
import { withoutClaim } from "./reservations.ts";

/** An index row that may be wrong. */
export interface Suspect {
  /** The key of the row in the index. */
  readonly key: EntityKey;
  /** RowKeys of entities that should have it. */
  readonly owners: ReadonlySet<string>;
}

/** A problem with an index row. */
export interface Finding {
  readonly key: EntityKey;
  readonly index: string;
  /** Undefined if only a value is not unique. */
  readonly type: IndexDifference["type"] | undefined;
  /** The entity that should have the row; otherwise the one that the row names. */
  readonly entity: EntityKey | undefined;
  /** The row of the entity that should have it. */
  readonly main: StoredEntity | undefined;
  /** The row stored under the key. */
  readonly found: StoredEntity | undefined;
  /** The entities with the same values in a unique index, if there are several. */
  readonly duplicates: readonly EntityKey[];
}

/** A row of an index and the rows of its possible entities, read one after another. */
interface Look {
  readonly found: StoredEntity | undefined;
  readonly mains: readonly (StoredEntity | undefined)[];
}

/** Maximum number of reads of rows that keep changing. Repairs are conditional on the rows that were read. */
const maxLooks = 10;

/**
 * Reads a row of an index and its possible entities, until two consecutive reads are equal: then all rows had these
 * values at one moment.
 *
 * @returns undefined if the row is correct
 */
export async function inspectIndexRow(
  storage: TableStorage,
  target: IndexTarget,
  suspect: Suspect,
  options: RequestOptions,
): Promise<Finding | undefined> {
  const look = async (): Promise<Look> => {
    const found = await storage.get(target.table, suspect.key, options);
    const owner = found && target.ownerOf(found);
    const owners = [...suspect.owners, ...(owner === undefined ? [] : [owner.rowKey])];
    const { partitionKey } = suspect.key;
    const mains = await inParallel([...new Set(owners)], pointReads, (rowKey) =>
      storage.get(target.table, { partitionKey, rowKey }, options),
    );
    return { found, mains };
  };
  let last = await look();
  for (let looks = 1; ; looks++) {
    const finding = findingIn(target, suspect.key, last);
    if (finding === undefined || looks === maxLooks) return finding;
    const again = await look();
    if (isSame(last, again)) return finding;
    last = again;
  }
}

const isSame = (a: Look, b: Look): boolean =>
  isSameVersion(a.found, b.found) &&
  a.mains.length === b.mains.length &&
  a.mains.every((main, i) => isSameVersion(main, b.mains[i]));

const isSameVersion = (a: StoredEntity | undefined, b: StoredEntity | undefined): boolean =>
  (a && etagOf(a)) === (b && etagOf(b));

function findingIn(target: IndexTarget, key: EntityKey, { found, mains }: Look): Finding | undefined {
  const stored = mains.filter((main) => main !== undefined);
  const claims = stored.map((main) => ({ main, claim: claimOf(target, main, key.rowKey) }));
  const claimants = claims.filter((each): each is Claimant => typeof each.claim === "object");
  const owner = found && target.ownerOf(found);
  const chosen = claimants.find(({ main }) => main.RowKey === owner?.rowKey) ?? claimants[0];
  const duplicates = claimants.length > 1 ? claimants.map(({ main }) => keyOfStored(main)) : [];
  if (chosen !== undefined) {
    const { main, claim } = chosen;
    const isRight = found !== undefined && hasSameProperties(withoutClaim(found), claim.operation.entity);
    if (isRight && duplicates.length === 0) return undefined;
    const type = isRight ? undefined : found === undefined ? "missing" : "different";
    return { key, index: claim.index.name, type, entity: keyOfStored(main), main, found, duplicates };
  }
  const own = found && target.indexOf(found);
  if (own === undefined || claims.some(({ claim }) => claim === "unknown")) return undefined;
  // Without a kind in the row, it may belong to another class.
  const isOfOther = own.index.isUnique || own.model.kind?.isStored !== true;
  if (isOfOther && claims.some(({ claim }) => claim === "other")) return undefined;
  return {
    key,
    index: own.index.name,
    type: "extra",
    entity: owner,
    main: undefined,
    found,
    duplicates,
  };
}

interface Claimant {
  readonly main: StoredEntity;
  readonly claim: StoredIndexRow;
}
