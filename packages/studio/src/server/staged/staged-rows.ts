import type { StorageError } from "@partita/core";
import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import type { Cell, CellChange, RowKey } from "../../api/cells.ts";
import type { Conflict, OpenRow, StagedChange } from "../../api/staged.ts";
import type { StudioCore } from "../core.ts";
import { RequestError } from "../request-error.ts";
import { emptyRow, storedCells, storedRow, withChanges } from "../rows/stored-cells.ts";
import type { Catalog } from "../tables/catalog.ts";
import { changedNames, compareCells, compareSides, conflictWith } from "./compare-sides.ts";
import { OpenRows, type Refusal } from "./open-rows.ts";
import { checkSides, type NewRow, type Sides, type Staging } from "./staging.ts";

/** A stored row that is open in a form. */
interface OpenStored {
  readonly table: string;
  readonly key: RowKey;
  /** The row that was read. Undefined for a new row. */
  base: StoredEntity | undefined;
  /** The row to store. Undefined to delete the row. */
  mine: StoredEntity | undefined;
  refusal?: Refusal | undefined;
}

/**
 * Edits of stored rows, for tables without classes. Each is saved separately, under the ETag it was read
 * with.
 */
export class StagedRows implements Staging {
  readonly #catalog: Catalog;
  readonly #open = new OpenRows<OpenStored>("r", oldestUnchanged);

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  etagOf(id: string): string {
    return this.#open.get(id).base?.["odata.etag"] ?? "";
  }

  async open(table: string, _className: string | undefined, key: RowKey): Promise<OpenRow> {
    const found = this.#find(table, key);
    if (found !== undefined && changesOf(this.#core, found[1]).length > 0) return this.#openRow(...found);
    const row = await this.#catalog.storage.get(table, key);
    if (row === undefined) throw RequestError.notFound("such row: it was deleted");
    const open: OpenStored = { table, key, base: row, mine: row };
    if (found !== undefined) {
      Object.assign(found[1], open, { refusal: undefined });
      return this.#openRow(...found);
    }
    const id = this.#open.add(open);
    return this.#openRow(id, open);
  }

  insert({ table, key, cells }: NewRow): string {
    if (key === undefined) throw RequestError.wrongInput("A new row needs a PartitionKey and a RowKey.");
    const found = this.#find(table, key);
    if (found !== undefined && found[1].base === undefined)
      throw RequestError.wrongInput("A new row with this key is already staged.");
    return this.#open.add({
      table,
      key,
      base: undefined,
      mine: withChanges(this.#core, emptyRow(key), cells),
    });
  }

  edit(id: string, changes: readonly CellChange[]): void {
    const open = this.#open.get(id);
    const row = open.mine ?? open.base ?? emptyRow(open.key);
    open.mine = withChanges(this.#core, row, changes);
  }

  remove(id: string): void {
    const open = this.#open.get(id);
    if (open.base === undefined) this.#open.delete(id);
    else open.mine = undefined;
  }

  discard(id: string): void {
    this.#open.get(id);
    this.#open.delete(id);
  }

  changes(): readonly StagedChange[] {
    return [...this.#open].flatMap(([id, open]): StagedChange[] => {
      const properties = changesOf(this.#core, open);
      const { table, key, base, mine, refusal } = open;
      if (base !== undefined && mine !== undefined && properties.length === 0) return [];
      return [
        {
          id,
          table,
          className: undefined,
          key,
          subject: `${table}(${JSON.stringify(key.partitionKey)}, ${JSON.stringify(key.rowKey)})`,
          state: base === undefined ? "added" : mine === undefined ? "deleted" : "modified",
          properties,
          error: refusal?.error,
          version: undefined,
          isInDoubt: refusal?.isInDoubt ?? false,
          conflict: refusal?.conflict,
        },
      ];
    });
  }

  async save(ids: ReadonlySet<string> | undefined): Promise<number> {
    let saved = 0;
    for (const { id, conflict } of this.changes()) {
      if (conflict !== undefined || ids?.has(id) === false) continue;
      if (await this.#saveOne(this.#open.get(id))) {
        saved++;
        this.#open.delete(id);
      }
    }
    return saved;
  }

  async resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<void> {
    const open = this.#open.get(id);
    checkSides(open.refusal?.conflict, sides);
    const theirs = await this.#catalog.storage.get(open.table, open.key);
    if (theirs?.["odata.etag"] !== theirEtag) {
      await this.#noteConflict(open, theirs === undefined ? "missing" : "etag");
      return;
    }
    const merged = sides === "theirs" ? theirs : this.#merge(open, theirs, sides);
    if (merged === undefined && theirs === undefined) this.#open.delete(id);
    Object.assign(open, { base: theirs, mine: merged, refusal: undefined });
  }

  /** Their row with the changes made here. If both changed a property, the user's choice decides. */
  #merge(open: OpenStored, theirs: StoredEntity | undefined, sides: Sides): StoredEntity | undefined {
    const { mine, key } = open;
    if (mine === undefined || theirs === undefined) return mine;
    const [base, ours, stored] = [open.base ?? emptyRow(key), mine, theirs].map((row) =>
      storedCells(this.#core, row),
    ) as [Cell[], Cell[], Cell[]];
    const leftToThem = compareSides(base, ours, stored).filter(
      ({ name, needsChoice }) =>
        needsChoice && (typeof sides === "string" ? sides : sides.get(name)) === "theirs",
    );
    const taken = changedNames(base, ours).filter((name) => leftToThem.every((each) => each.name !== name));
    const changes = taken.map((name): CellChange => {
      const cell = ours.find(([own]) => own === name);
      return { name, type: cell?.[1] ?? "String", value: cell?.[2] ?? null };
    });
    return withChanges(this.#core, theirs, changes);
  }

  async #saveOne(open: OpenStored): Promise<boolean> {
    try {
      await this.#catalog.storage.write(open.table, operationOf(open));
      return true;
    } catch (error) {
      if (!this.#core.StorageError.is(error)) throw error;
      const reason = conflictReasons.get(error.serviceCode ?? "");
      if (reason !== undefined) await this.#noteConflict(open, reason);
      else open.refusal = refusalOf(error);
      return false;
    }
  }

  async #noteConflict(open: OpenStored, reason: Conflict["reason"]): Promise<void> {
    const theirs = await this.#catalog.storage.get(open.table, open.key);
    const cells = (row: StoredEntity | undefined): Cell[] =>
      row === undefined ? [] : storedCells(this.#core, row);
    const side = theirs && { etag: theirs["odata.etag"] ?? "", cells: cells(theirs) };
    open.refusal = conflictWith(reason, cells(open.base), cells(open.mine), side);
  }

  get #core(): StudioCore {
    return this.#catalog.core;
  }

  #openRow(id: string, { table, base, mine, key }: OpenStored): OpenRow {
    return { id, table, ...storedRow(this.#core, mine ?? base ?? emptyRow(key)) };
  }

  #find(table: string, key: RowKey): readonly [string, OpenStored] | undefined {
    return this.#open.find(
      (each) =>
        each.table === table && each.key.partitionKey === key.partitionKey && each.key.rowKey === key.rowKey,
    );
  }
}

const oldestUnchanged = (rows: ReadonlyMap<string, OpenStored>): string | undefined =>
  [...rows].find(([, { base, mine }]) => base !== undefined && mine === base)?.[0];

function changesOf(core: StudioCore, { base, mine }: OpenStored): ReturnType<typeof compareCells> {
  const [before, after] = [base, mine].map((row) => (row === undefined ? [] : storedCells(core, row)));
  return compareCells(before ?? [], after ?? []);
}

/** Deleting a property needs a replace, because a merge cannot clear it. */
function operationOf({ base, mine, key }: OpenStored): WriteOperation {
  if (base === undefined) return { type: "insert", entity: written(mine ?? emptyRow(key)) };
  const etag = base["odata.etag"] ?? "*";
  if (mine === undefined) return { type: "delete", key, etag };
  return { type: "replace", entity: written(mine), etag };
}

/** A row without the properties that storage sets. */
function written({ Timestamp: _time, "odata.etag": _etag, ...entity }: StoredEntity): StoredEntity {
  return entity as StoredEntity;
}

const conflictReasons: ReadonlyMap<string, Conflict["reason"]> = new Map([
  ["EntityAlreadyExists", "exists"],
  ["UpdateConditionNotSatisfied", "etag"],
  ["ResourceNotFound", "missing"],
]);

const refusalOf = ({ message, applied }: StorageError): Refusal => ({
  error: applied === "maybe" ? `${message} The response was lost, so the change may be stored.` : message,
  isInDoubt: applied === "maybe",
  conflict: undefined,
});
