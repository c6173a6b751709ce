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
import type { Inclusion } from "../options/include-options.ts";
import type { ReadPage } from "./run-plan.ts";

/** A row and the time of its request. */
export interface TimedRow extends CheckedRow {
  readonly readAt: number;
}

/** A parent's row and those of its children, in key order. */
export interface Family {
  readonly parent: TimedRow;
  readonly children: readonly TimedRow[];
}

interface OpenFamily {
  readonly parent: TimedRow;
  readonly isWanted: boolean;
  readonly children: TimedRow[];
  /** The first key after those of its children. */
  readonly end: string;
}

/** The rules for grouping rows. */
export interface FamilyRules {
  /** Whether a parent matches the query; its children follow it. */
  readonly isWanted: (row: StoredEntity) => boolean;
  /** Whether a child's parent is among the keys the query reads. */
  readonly isInRange: (child: StoredEntity) => boolean;
  readonly onOrphan: (child: TimedRow) => void;
  /** Whether rows come in RowKey order across partitions: otherwise one partition ends before the next begins. */
  readonly isMerged: boolean;
}

/**
 * Puts parents and children together in key order: each parent is returned with its children once the keys are past
 * its last possible child, so only the current ones are in memory.
 */
export async function* assembleFamilies(
  { parent, child }: Inclusion,
  pages: AsyncIterable<ReadPage>,
  { isWanted, isInRange, onOrphan, isMerged }: FamilyRules,
): AsyncGenerator<readonly Family[]> {
  const { separator } = child.rowKey;
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
      if (model === parent) {
        const end = successor(RowKey + separator) as string;
        open.set(idOf(RowKey, PartitionKey), {
          parent: { row, model, readAt },
          isWanted: isWanted(row),
          children: [],
          end,
        });
      } else if (model === child) {
        const family = open.get(idOf(parentKeyOf(parent, child, RowKey), PartitionKey));
        if (family !== undefined) family.children.push({ row, model, readAt });
        else if (isInRange(row)) onOrphan({ row, model, readAt });
      }
    }
    if (done.length > 0) yield done;
  }
  yield close(undefined);
}

const idOf = (rowKey: string, partitionKey: string): string => `${partitionKey}\0${rowKey}`;

/** The error for a child without a stored parent. */
export function orphaned(inclusion: Inclusion, row: StoredEntity): QueryError {
  const { child } = inclusion;
  return new QueryError(
    "query.orphan",
    `${describeOrphan(inclusion, row)} Store one, or remove the child; removeFamily(parent) removes both together.`,
    { entity: child.name, ...keyOfStored(row) },
  );
}

/** Warns once for each class that children are left out. */
export function warnOfOrphan(inclusion: Inclusion, row: StoredEntity): void {
  warnOnce(
    inclusion.child,
    "PARTITA_ORPHAN",
    () =>
      `${describeOrphan(inclusion, row)} It is left out, and so are others like it. removeFamily(parent) removes a parent with its children; include(…, { onOrphan }) takes "error", or a function that is given such ${inclusion.property}.`,
  );
}

const describeOrphan = ({ parent, child }: Inclusion, row: StoredEntity): string =>
  `${subjectOf(child, keyOfStored(row))} has no stored ${parent.name} to belong to.`;
