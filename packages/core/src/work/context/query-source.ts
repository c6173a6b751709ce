import type { KindChooser } from "../../model/codec/choose-kind.ts";
import type { QuerySource } from "../../query/query-state.ts";
import type { FamilySource } from "./remove-family.ts";
import { BulkWriter, type PageContext } from "./bulk-writer.ts";
import type { IndexStates } from "../../model/schema/index-states.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { entitiesOnly, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import type { ContextOptions } from "./context-options.ts";
import type { EntityReader } from "./entity-reader.ts";
import { shapeCheck } from "./unknown-patterns.ts";

/** What a context is made of, for its queries. */
export interface ContextParts {
  readonly storage: RowStorage;
  readonly options: ContextOptions;
  readonly reader: EntityReader;
  readonly indexStates: IndexStates;
  readonly tracker: ChangeTracker;
  /** Opens a context of its own over the same storage, for one page. */
  readonly openPage: (options: ContextOptions, table: string) => PageContext;
}

/** What a query needs of its context. */
export function querySourceOf(parts: ContextParts, chooser: KindChooser): QuerySource {
  const { storage, options, reader, tracker } = parts;
  const checkShape = shapeCheck(options.patterns, options.unknownPattern ?? "warn");
  return {
    storage,
    chooser,
    ...(checkShape && { checkShape }),
    reader,
    unreadableRows: options.unreadableRows ?? "error",
    indexStates: parts.indexStates,
    ...(options.upgrade === "write" && {
      upgradeNow: (rows, check, merge, signal) => reader.upgradeNow(rows, check, merge, signal),
    }),
    clock: tracker,
    bulk: (unreadableRows) => bulkWriterOf(parts, chooser, unreadableRows),
  };
}

/** What the removal of a family needs of its context. */
export const familySourceOf = ({ storage, options, tracker, reader }: ContextParts): FamilySource => ({
  storage,
  tracker,
  take: (model, row, readAt) => {
    const unreadableRows = entitiesOnly(options.unreadableRows ?? "error");
    return reader.materialize({ model, row }, { merge: "appendOnly", readAt, unreadableRows });
  },
});

/** Writes of whole queries work in contexts of their own; this one learns which of its entities are outdated. */
function bulkWriterOf(
  { options, tracker, openPage }: ContextParts,
  chooser: KindChooser,
  unreadableRows: UnreadableRowPolicy,
): BulkWriter {
  // What a callback changes is to be saved without being named.
  const { requestBudget: _budget, tracking: _tracking, ...rest } = options;
  const own: ContextOptions = { ...rest, unreadableRows: entitiesOnly(unreadableRows) };
  return new BulkWriter(
    () => openPage(own, chooser.table),
    (model, key) => {
      const tracked = tracker.entities.ofKey(model, key);
      if (tracked !== undefined) tracked.isStale = true;
    },
  );
}
