// `query-run.ts` reads classes with `formerKeys` through this file: rows under their present keys, and rows under former
// keys in the form that they will have.

import type { KindChooser } from "../../model/codec/choose-kind.ts";
import { type FormerKeys, formerKeysOf } from "../../model/codec/former-keys.ts";
import { isOfKind } from "../../model/codec/row-layout.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { TableError } from "../../values/errors/table-error.ts";
import type { ReadableRows } from "../../storage/store-engine.ts";

/** The rows under present keys, and those under former ones. */
export interface MovingRows {
  readonly present: ReadableRows;
  readonly former: ReadableRows;
}

/** Reads the rows of classes with former keys. */
export function movingRows(storage: ReadableRows, { models, kinds }: KindChooser): MovingRows {
  const all = [...new Set([...kinds, ...models])].flatMap((model) => formerKeysOf(model) ?? []);
  const formerOf = (row: StoredEntity): FormerKeys | undefined =>
    all.find(({ model }) => isOfKind(model, row));
  const isPresent = (row: StoredEntity): boolean => {
    const former = formerOf(row);
    return former === undefined || !former.isSameTable || !former.holds(row);
  };
  const moved = (row: StoredEntity): StoredEntity[] => {
    const former = formerOf(row);
    if (former === undefined || !former.holds(row)) return [];
    try {
      return [former.presentRow(row)];
    } catch (error) {
      // The check of the row reports it.
      if (TableError.is(error)) return [row];
      throw error;
    }
  };
  return {
    present: {
      async readRows(table, query, _parsed, options) {
        const page = await storage.readRows(table, query, undefined, options);
        return { ...page, rows: (page.rows as StoredEntity[]).filter(isPresent) };
      },
      get: (table, key, options) => storage.get(table, key, options),
    },
    former: {
      // A property that became part of the key may not be among those that are selected.
      async readRows(table, { select: _all, ...query }, _parsed, options) {
        const page = await storage.readRows(table, query, undefined, options);
        return { ...page, rows: (page.rows as StoredEntity[]).flatMap(moved) };
      },
      async get(table, key, options) {
        const row = await storage.get(table, key, options);
        return row && moved(row)[0];
      },
    },
  };
}
