import type { Semaphore } from "@partita/core/internal";
import type { OpenRow, MultiEditResult, SaveSummary, StagedChange } from "../../api/staged.ts";
import type { CellChange, RowKey } from "../../api/cells.ts";
import type { CellEditResult, PastedRows, RefusedCell, RowEdit } from "../../api/grid-edits.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";
import { editCells, openIfThere, refusalOf } from "./edit-cells.ts";
import { changedCells, pastedRows } from "./pasted-rows.ts";
import { StagedEntities } from "./staged-entities.ts";
import { StagedRows } from "./staged-rows.ts";
import type { NewRow, Sides, Staging } from "./staging.ts";

/** A row in the version that the user saw. */
type SeenRow = RowKey & { readonly etag: string };

/**
 * All unsaved changes, of classes and of stored rows. Tabs share them. It runs one operation at a time,
 * because an edit during a save or a read of its row would be lost.
 */
export class StagedChanges {
  readonly #catalog: Catalog;
  readonly #entities: Staging;
  readonly #rows: Staging;
  readonly #requests: Semaphore;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#entities = new StagedEntities(catalog);
    this.#rows = new StagedRows(catalog);
    this.#requests = new catalog.core.Semaphore(1);
  }

  open(table: string, className: string | undefined, key: RowKey): Promise<OpenRow> {
    return this.#requests.run(() => this.#for(className).open(table, className, key));
  }

  insert(row: NewRow): Promise<readonly StagedChange[]> {
    return this.#changing(() => this.#for(row.className).insert(row));
  }

  /** @param etag - of the row in the form @throws RequestError 409 if it was read again since */
  edit(id: string, etag: string, changes: readonly CellChange[]): Promise<readonly StagedChange[]> {
    return this.#changing(() => {
      this.#checkSeen(id, etag);
      this.#checkStays(({ id: own }) => own === id);
      this.#of(id).edit(id, changes);
    });
  }

  /** Stages the same changes for many rows, if they are unchanged since the page read them. */
  editMany(
    table: string,
    className: string | undefined,
    rows: readonly SeenRow[],
    changes: readonly CellChange[],
  ): Promise<MultiEditResult> {
    const staging = this.#for(className);
    return this.#requests.run(() => {
      const keys = new Set(rows.map(nameOf));
      this.#checkStays((change) => change.table === table && keys.has(nameOf(change.key)));
      return forSeen(staging, { table, className, rows }, (id) => staging.edit(id, changes));
    });
  }

  /** Stages new values of cells. Those that are refused are returned with their reasons. */
  editCells(table: string, rows: readonly RowEdit[]): Promise<CellEditResult> {
    return this.#requests.run(async () => {
      const deleted = this.#deletedIds();
      const refused: RefusedCell[] = [];
      for (const row of rows)
        refused.push(...(await editCells(this.#for(row.className), table, row, (id) => deleted.has(id))));
      return { staged: this.list(), refused };
    });
  }

  /**
   * Stages rows of a text: as new ones, or as changes of the rows with their keys. Properties that the text
   * does not have stay as stored.
   */
  async paste(table: string, className: string | undefined, text: string): Promise<PastedRows> {
    const rows = await pastedRows(this.#catalog, table, className, text);
    const known = className === undefined ? undefined : this.#catalog.classNamed(table, className);
    const staging = this.#for(className);
    return this.#requests.run(async () => {
      const deleted = this.#deletedIds();
      const refused: string[] = [];
      let [added, changed, unchanged] = [0, 0, 0];
      for (const row of rows) {
        if ("refused" in row) {
          refused.push(row.refused);
          continue;
        }
        const { key } = row;
        const open = await openIfThere(staging, table, className, key);
        const cells = open === undefined ? row.cells : changedCells(row.cells, open.cells, known);
        const changes = cells.map(([name, type, value]) => ({ name, type, value }));
        const refusal = refusalOf(() => {
          if (open === undefined) staging.insert({ table, className, key, cells: changes });
          else if (deleted.has(open.id)) throw RequestError.wrongInput("It is staged to be deleted.");
          else if (changes.length > 0) staging.edit(open.id, changes);
        });
        if (refusal !== undefined) refused.push(`The row ${nameOf(key)} is not staged: ${refusal}`);
        else if (open === undefined) added++;
        else if (changes.length > 0) changed++;
        else unchanged++;
      }
      return { staged: this.list(), added, changed, unchanged, refused };
    });
  }

  remove(id: string, etag: string): Promise<readonly StagedChange[]> {
    return this.#changing(() => {
      this.#checkSeen(id, etag);
      this.#of(id).remove(id);
    });
  }

  /** Stages the delete of many rows, if they are unchanged since the page read them. */
  removeMany(
    table: string,
    className: string | undefined,
    rows: readonly SeenRow[],
  ): Promise<MultiEditResult> {
    const staging = this.#for(className);
    return this.#requests.run(() => forSeen(staging, { table, className, rows }, (id) => staging.remove(id)));
  }

  /** Discards staged changes. Those that another tab already saved or discarded are ignored. */
  discard(ids: readonly string[]): Promise<readonly StagedChange[]> {
    return this.#changing(() => {
      for (const id of ids) if (this.#of(id).has(id)) this.#of(id).discard(id);
    });
  }

  list(): readonly StagedChange[] {
    return [...this.#entities.changes(), ...this.#rows.changes()];
  }

  save(ids: ReadonlySet<string> | undefined): Promise<SaveSummary> {
    return this.#requests.run(async () => {
      const saved = (await this.#entities.save(ids)) + (await this.#rows.save(ids));
      return { saved, staged: this.list() };
    });
  }

  resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<readonly StagedChange[]> {
    return this.#changing(() => this.#of(id).resolve(id, theirEtag, sides));
  }

  #changing(work: () => unknown): Promise<readonly StagedChange[]> {
    return this.#requests.run(async () => {
      await work();
      return this.list();
    });
  }

  /**
   * Another tab may have read the row again. A decision based on the old values must not overwrite values
   * that the user has not seen.
   */
  #checkSeen(id: string, etag: string): void {
    if (this.#of(id).etagOf(id) !== etag)
      throw new RequestError(
        409,
        "studio.read-again",
        "This row was read again after this form was opened. Open it again to see the stored values.",
      );
  }

  /**
   * @throws RequestError if one of the changes is a delete, because an edit would have no effect, or undo it
   */
  #checkStays(isMeant: (change: StagedChange) => boolean): void {
    const removed = this.list().find((change) => change.state === "deleted" && isMeant(change));
    if (removed !== undefined)
      throw RequestError.wrongInput(`${removed.subject} is staged to be deleted. Discard that change first.`);
  }

  #deletedIds(): ReadonlySet<string> {
    return new Set(this.list().flatMap(({ id, state }) => (state === "deleted" ? [id] : [])));
  }

  #for(className: string | undefined): Staging {
    return className === undefined ? this.#rows : this.#entities;
  }

  #of(id: string): Staging {
    return this.#entities.has(id) ? this.#entities : this.#rows;
  }
}

const nameOf = (key: RowKey | undefined): string => JSON.stringify([key?.partitionKey, key?.rowKey]);

/** Opens rows, and processes those that are unchanged. */
async function forSeen(
  staging: Staging,
  { table, className, rows }: { table: string; className: string | undefined; rows: readonly SeenRow[] },
  work: (id: string) => void,
): Promise<MultiEditResult> {
  const changedSince: RowKey[] = [];
  for (const { partitionKey, rowKey, etag } of rows) {
    const open = await openIfThere(staging, table, className, { partitionKey, rowKey });
    if (open?.etag === etag) work(open.id);
    else changedSince.push({ partitionKey, rowKey });
  }
  return { staged: rows.length - changedSince.length, changedSince };
}
