import type { OpenRow, MultiEditResult, SaveSummary, StagedChange } from "../../api/staged.ts";
import type { CellChange, RowKey } from "../../api/cells.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";
import { StagedEntities } from "./staged-entities.ts";
import { StagedRows } from "./staged-rows.ts";
import type { NewRow, Sides, Staging } from "./staging.ts";

/** All that is edited and not saved yet, of classes and of rows as they are stored. */
export class StagedChanges {
  readonly #entities: Staging;
  readonly #rows: Staging;

  constructor(catalog: Catalog) {
    this.#entities = new StagedEntities(catalog);
    this.#rows = new StagedRows(catalog);
  }

  open(table: string, className: string | undefined, key: RowKey): Promise<OpenRow> {
    return this.#for(className).open(table, className, key);
  }

  insert(row: NewRow): readonly StagedChange[] {
    this.#for(row.className).insert(row);
    return this.list();
  }

  edit(id: string, changes: readonly CellChange[]): readonly StagedChange[] {
    this.#of(id).edit(id, changes);
    return this.list();
  }

  /** The same changes for many rows, of those that are as the page read them. */
  async editMany(
    table: string,
    className: string | undefined,
    rows: readonly (RowKey & { readonly etag: string })[],
    changes: readonly CellChange[],
  ): Promise<MultiEditResult> {
    const staging = this.#for(className);
    const changedSince: RowKey[] = [];
    for (const { partitionKey, rowKey, etag } of rows) {
      const open = await openIfThere(staging.open(table, className, { partitionKey, rowKey }));
      if (open?.etag === etag) staging.edit(open.id, changes);
      else changedSince.push({ partitionKey, rowKey });
    }
    return { staged: rows.length - changedSince.length, changedSince };
  }

  remove(ids: readonly string[]): readonly StagedChange[] {
    for (const id of ids) this.#of(id).remove(id);
    return this.list();
  }

  discard(ids: readonly string[]): readonly StagedChange[] {
    for (const id of ids) this.#of(id).discard(id);
    return this.list();
  }

  list(): readonly StagedChange[] {
    return [...this.#entities.changes(), ...this.#rows.changes()];
  }

  async save(ids: ReadonlySet<string> | undefined): Promise<SaveSummary> {
    const saved = (await this.#entities.save(ids)) + (await this.#rows.save(ids));
    return { saved, staged: this.list() };
  }

  async resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<readonly StagedChange[]> {
    await this.#of(id).resolve(id, theirEtag, sides);
    return this.list();
  }

  #for(className: string | undefined): Staging {
    return className === undefined ? this.#rows : this.#entities;
  }

  #of(id: string): Staging {
    return this.#entities.has(id) ? this.#entities : this.#rows;
  }
}

/** Undefined for a row that was removed meanwhile. */
async function openIfThere(opening: Promise<OpenRow>): Promise<OpenRow | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}
