// The playground of the documentation site calls `queryOverRows`. A query without a context reads from rows in memory
// and tracks nothing, so it runs in a browser.

import { type CheckedRow, kindChooser } from "../model/codec/choose-kind.ts";
import { decodeEntity } from "../model/codec/codec-of.ts";
import type { EntityClass } from "../model/declaration/entity-definition.ts";
import type { ReadableRows, RowStorage } from "../storage/store-engine.ts";
import { Conditions } from "./plan/conditions.ts";
import { Query } from "./query.ts";

export interface RowsQueryOptions {
  /** Called for each entity that is built. */
  readonly onEntity: (entity: object, row: CheckedRow["row"]) => void;
  /** Called if the query writes. */
  readonly notWritten: () => never;
}

/** @param rows - sends no request but these, and returns key order, as the service does */
export function queryOverRows(
  classes: readonly EntityClass[],
  rows: ReadableRows,
  { onEntity, notWritten }: RowsQueryOptions,
): Query<object> {
  const storage = { description: "rows in memory", countsRows: false, ...rows } as RowStorage;
  return new Query(
    {
      storage,
      chooser: kindChooser(classes),
      reader: {
        materialize({ model, row, unreadable }, { loaded }) {
          if (unreadable !== undefined) return unreadable;
          const { entity } = decodeEntity(model, row, loaded);
          onEntity(entity, row);
          return entity;
        },
        showChildren(parent, property, build) {
          const children = build().filter((child) => child !== undefined);
          (parent as Record<string, unknown>)[property] = children;
        },
      },
      unreadableRows: "error",
      clock: { revision: 0 },
      bulk: notWritten,
    },
    { conditions: new Conditions(), mergeOption: "noTracking", mayScan: false },
  );
}
