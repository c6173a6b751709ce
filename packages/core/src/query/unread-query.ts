import { kindChooser } from "../model/codec/choose-kind.ts";
import type { EntityClass } from "../model/declaration/entity-definition.ts";
import type { RowStorage } from "../storage/store-engine.ts";
import { Conditions } from "./plan/conditions.ts";
import { Query } from "./query.ts";

/**
 * A query that is only planned, such as one of an access pattern: its `explain()` needs no context and no storage.
 *
 * @param notRead - called if the query is read
 */
export function unreadQuery(classes: readonly EntityClass[], notRead: () => never): Query<object> {
  // Plans only need the orders that a storage can read in.
  const nowhere: RowStorage = new Proxy({} as RowStorage, {
    get: (_target, name) => (name === "isUnordered" || name === "readsBackwards" ? undefined : notRead()),
  });
  return new Query(
    {
      storage: nowhere,
      chooser: kindChooser(classes),
      reader: { materialize: notRead, showChildren: notRead },
      unreadableRows: "error",
      clock: { revision: 0 },
      bulk: notRead,
    },
    { conditions: new Conditions(), mergeOption: "appendOnly", mayScan: false },
  );
}

/** Whether a value is a query, from any copy of this package. */
export const isQuery = (value: unknown): value is Query<object> => Query.is(value);
