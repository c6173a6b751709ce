// `read-families.ts` calls `assembleFamilies` for queries with `include`. It groups a stream of parent and child rows
// in key order into parents with their children, as a merge join does.

import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { keyOfStored } from "../../model/codec/row-layout.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { warnOnce } from "../../values/errors/warn-once.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { successor } from "../../values/keys/text-range.ts";
import { parentKeyOf } from "../../model/declaration/child-model.ts";
import { inherits } from "../../values/errors/brand.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { IncludedList, Inclusion } from "../build/inclusion.ts";
import type { ReadPage } from "./run-plan.ts";

/** A row and the time of its request. */
export interface TimedRow extends CheckedRow {
  readonly readAt: number;
}

/** A parent's row and those of its children, in key order. */
export interface Family {
  readonly parent: TimedRow;
  /** The rows of each list, in the order of the inclusion. */
  readonly children: readonly (readonly TimedRow[])[];
  /** The first key after those of its children. */
  readonly end: string;
}

/**
 * Where the families that were not returned begin: a partition, and a RowKey. Mostly it is the first one after the
 * children of the last family. With some separators the keys of other families are among these: "10" is before "1_a".
 */
export type FamilyPlace = readonly [partitionKey: string, rowKey: string];

interface OpenFamily {
  readonly parent: TimedRow;
  readonly isWanted: boolean;
  readonly children: readonly TimedRow[][];
  /** The first key after those of its children. */
  readonly end: string;
}

/** The rules for grouping rows. */
export interface FamilyRules {
  /** Whether a parent matches the query; its children follow it. */
  readonly isWanted: (row: StoredEntity, model: EntityModel) => boolean;
  /** Whether a child's parent is among the keys the query reads. */
  readonly isInRange: (child: StoredEntity, list: IncludedList) => boolean;
  readonly onOrphan: (child: TimedRow, list: IncludedList) => void;
  /** Whether rows come in RowKey order across partitions: otherwise one partition ends before the next begins. */
  readonly isMerged: boolean;
}

/**
 * Puts parents and children together in key order: each parent is returned with its children once the keys are past
 * its last possible child, so only the current ones are in memory.
 */
export async function* assembleFamilies(
  { parent, lists }: Inclusion,
  pages: AsyncIterable<ReadPage>,
  { isWanted, isInRange, onOrphan, isMerged }: FamilyRules,
): AsyncGenerator<readonly Family[]> {
  const separators = [...new Set(lists.map(({ child }) => child.rowKey.separator))];
  const endOf = (rowKey: string): string =>
    separators.map((separator) => successor(rowKey + separator) as string).reduce((a, b) => (a > b ? a : b));
  const open = new Map<string, OpenFamily>();
  let partition: string | undefined;
  /** The families, in order, that no key from this one on belongs to. */
  const close = (rowKey: string | undefined): Family[] => {
    const done: Family[] = [];
    for (const [key, family] of open) {
      if (rowKey !== undefined && rowKey < family.end) break;
      open.delete(key);
      if (family.isWanted) done.push(family);
    }
    return done;
  };
  for await (const { rows, readAt } of pages) {
    const done: Family[] = [];
    for (const { row, model } of rows) {
      const { PartitionKey, RowKey } = row;
      done.push(...close(isMerged || PartitionKey === partition ? RowKey : undefined));
      partition = PartitionKey;
      const at = lists.findIndex(({ child }) => isOf(model, child));
      const list = lists[at];
      if (isOf(model, parent))
        open.set(idOf(RowKey, PartitionKey), {
          parent: { row, model, readAt },
          isWanted: isWanted(row, model),
          children: lists.map(() => []),
          end: endOf(RowKey),
        });
      else if (list !== undefined) {
        const family = open.get(idOf(parentKeyOf(parent, list.child, RowKey), PartitionKey));
        if (family !== undefined) family.children[at]?.push({ row, model, readAt });
        else if (isInRange(row, list)) onOrphan({ row, model, readAt }, list);
      }
    }
    if (done.length > 0) yield done;
  }
  yield close(undefined);
}

/** Whether a class is another one, or a kind below it. */
export const isOf = ({ entityClass }: EntityModel, { entityClass: asked }: EntityModel): boolean =>
  entityClass === asked || inherits(entityClass.prototype, asked);

const idOf = (rowKey: string, partitionKey: string): string => `${partitionKey}\0${rowKey}`;

/** The error for a child without a stored parent. */
export function orphaned(parent: EntityModel, { child }: IncludedList, row: StoredEntity): QueryError {
  return new QueryError(
    "query.orphan",
    `${describeOrphan(parent, child, row)} Store one, or remove the child; removeFamily(parent) removes both together.`,
    { entity: child.name, ...keyOfStored(row) },
  );
}

/** Warns once for each class that children are left out. */
export function warnOfOrphan(
  parent: EntityModel,
  { child, property }: IncludedList,
  row: StoredEntity,
): void {
  warnOnce(
    child,
    "PARTITA_ORPHAN",
    () =>
      `${describeOrphan(parent, child, row)} It is left out, and so are others like it. removeFamily(parent) removes a parent with its children; include(…, { onOrphan }) takes "error", or a function that is given such ${property}.`,
  );
}

const describeOrphan = (parent: EntityModel, child: EntityModel, row: StoredEntity): string =>
  `${subjectOf(child, keyOfStored(row))} has no stored ${parent.name} to belong to.`;
