import { ownerProperty } from "../../model/codec/index-rows.ts";
import { claimProperty } from "../../model/codec/reservation-rows.ts";
import { inParallel, pointReads } from "../../storage/in-parallel.ts";
import { keyOfOperation } from "../../storage/write-operation.ts";
import type { ChangeSet, IndexRow } from "../unit-of-work/tracked-entity.ts";
import { type ClaimPort, readRow } from "./claim-port.ts";
import type { ClaimedValue } from "./claim-value.ts";
import type { ReleasedValue } from "./release-value.ts";

/** The values that a transaction stores in rows that did not hold them. */
export function claimedBy(changes: readonly ChangeSet[]): readonly ClaimedValue[] {
  const givers = new Map<string, ChangeSet>();
  for (const change of changes)
    for (const indexRow of overTable(change, isGiven)) givers.set(rowKeyOf(indexRow), change);
  return changes.flatMap((change, at) =>
    overTable(change, isTaken).map((indexRow): ClaimedValue => {
      const rowKey = rowKeyOf(indexRow);
      const giver = givers.get(rowKey);
      const holders = [change.entry.key, ...(giver === undefined ? [] : [giver.entry.key])];
      return { model: change.entry.model, index: indexRow.index, rowKey, holders, at };
    }),
  );
}

/** Adds the claim to the index rows of values that a transaction stores. */
export const withClaim = (changes: readonly ChangeSet[], claim: string): readonly ChangeSet[] =>
  changes.map((change) =>
    overTable(change, isTaken).length === 0
      ? change
      : {
          ...change,
          indexRows: (change.indexRows ?? []).map((indexRow) =>
            isOverTable(indexRow) && isTaken(indexRow) ? claimedRow(indexRow, claim) : indexRow,
          ),
        },
  );

function claimedRow(indexRow: IndexRow, claim: string): IndexRow {
  const { operation } = indexRow;
  if (operation.type === "delete") return indexRow;
  return {
    ...indexRow,
    operation: { type: "insert", entity: { ...operation.entity, [claimProperty]: claim } },
  };
}

/** The changes, without index rows that they would delete although these belong to other entities. */
export interface CheckedChanges {
  readonly changes: readonly ChangeSet[];
  /** The values that the transaction gives up, and no other change of it takes. */
  readonly released: readonly ReleasedValue[];
}

/** Reads the index rows that a transaction deletes: they hold the claims of their values. */
export async function checkGivenUp(port: ClaimPort, changes: readonly ChangeSet[]): Promise<CheckedChanges> {
  const taken = new Set(claimedBy(changes).map(({ rowKey }) => rowKey));
  const released: ReleasedValue[] = [];
  const checked = await inParallel(changes, pointReads, async (change): Promise<ChangeSet> => {
    if (overTable(change, isGiven).length === 0) return change;
    const indexRows: IndexRow[] = [];
    for (const indexRow of change.indexRows ?? []) {
      if (!isOverTable(indexRow) || !isGiven(indexRow)) indexRows.push(indexRow);
      else {
        const row = await readRow(port, keyOfOperation(indexRow.operation));
        if (row?.[ownerProperty] !== change.entry.rowKey) continue;
        indexRows.push({ ...indexRow, isChecked: true });
        const [rowKey, claim] = [rowKeyOf(indexRow), row[claimProperty]];
        if (typeof claim === "string" && !taken.has(rowKey))
          released.push({ rowKey, holder: change.entry.key, claim });
      }
    }
    return { ...change, indexRows };
  });
  return { changes: checked, released };
}

const overTable = ({ indexRows = [] }: ChangeSet, isMeant: (row: IndexRow) => boolean): readonly IndexRow[] =>
  indexRows.filter((row) => isOverTable(row) && isMeant(row));

const isOverTable = ({ index }: IndexRow): boolean => index.isOverTable;
const isGiven = ({ operation }: IndexRow): boolean => operation.type === "delete";
const isTaken = (row: IndexRow): boolean => !isGiven(row);
const rowKeyOf = ({ operation }: IndexRow): string => keyOfOperation(operation).rowKey;
