import type { ConflictError, SaveError, SaveResult, TableContext } from "@partita/core";
import type { StoredExtras, Cell, CellChange, RowKey } from "../../api/cells.ts";
import type { OpenRow, StagedChange } from "../../api/staged.ts";
import { RequestError } from "../request-error.ts";
import { storedExtras } from "../rows/stored-extras.ts";
import { entityCells, entityRow, hostValues, plainOf } from "../rows/entity-cells.ts";
import type { Catalog } from "../tables/catalog.ts";
import { fieldsOf, type KnownClass } from "../tables/describe-class.ts";
import { compareCells, conflictWith } from "./compare-sides.ts";
import { OpenRows, type Refusal } from "./open-rows.ts";
import { checkSides, type NewRow, type Sides, type Staging } from "./staging.ts";

/** An entity that is open in a form. */
interface OpenEntity {
  readonly table: string;
  readonly known: KnownClass;
  readonly entity: object;
  /** The values that were read. Empty for a new entity. */
  base: readonly Cell[];
  /** Data of the stored row that the form does not show. */
  extras?: StoredExtras | undefined;
  refusal?: Refusal | undefined;
}

/**
 * Edits of entities, in a single context for all pages of a studio. The staged changes are its
 * `pendingChanges()`.
 */
export class StagedEntities implements Staging {
  readonly #catalog: Catalog;
  readonly #context: TableContext;
  readonly #open = new OpenRows<OpenEntity>("e", (rows) => this.#releaseOldest(rows));

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#context = new catalog.core.TableContext(catalog.storage, { undeclared: "ignore" });
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  etagOf(id: string): string {
    return this.#context.entry(this.#open.get(id).entity).etag ?? "";
  }

  async open(table: string, className: string | undefined, key: RowKey): Promise<OpenRow> {
    const known = this.#catalog.classNamed(table, className ?? "");
    const staged = this.#find(table, key);
    if (staged !== undefined && this.#pending().has(staged[1].entity)) return this.#openRow(...staged);
    const entity = await this.#read(this.#context, known, key);
    const found = this.#find(table, key);
    const { core, storage } = this.#catalog;
    const cells = entityCells(core, known, entity);
    const stored = await storage.get(table, key);
    const extras = stored && storedExtras(core, known, stored);
    if (found !== undefined && found[1].entity === entity) {
      Object.assign(found[1], { base: cells, extras, refusal: undefined });
      return this.#openRow(...found);
    }
    const id = this.#open.add({ table, known, entity, base: cells, extras });
    return this.#openRow(id, this.#open.get(id));
  }

  insert({ table, className, cells }: NewRow): string {
    const known = this.#catalog.classNamed(table, className ?? "");
    const { core } = this.#catalog;
    const kind = known.model.kind;
    const given = cells
      .filter(({ value }) => value !== null)
      .map(({ name, value }) => [name, plainOf(known, name, value)] as const);
    hostValues(core, known, cells);
    const named = kind === undefined ? [] : [[known.model.options.kindProperty, kind.name] as const];
    const entity = core.fromPlain(known.entityClass, Object.fromEntries([...named, ...given]), {
      hidden: true,
    });
    this.#context.add(entity);
    return this.#open.add({ table, known, entity, base: [] });
  }

  edit(id: string, changes: readonly CellChange[]): void {
    const { known, entity } = this.#open.get(id);
    const isNew = this.#context.entry(entity).state === "added";
    const keys = new Set(fieldsOf(known.model).flatMap(({ name, key }) => (key === undefined ? [] : [name])));
    const ofKey = isNew ? undefined : changes.find(({ name }) => keys.has(name));
    if (ofKey !== undefined)
      throw RequestError.wrongInput(
        `${ofKey.name} is a part of the key, which a stored row cannot change. Add a new row and delete this one.`,
      );
    Object.assign(entity, Object.fromEntries(hostValues(this.#catalog.core, known, changes)));
  }

  remove(id: string): void {
    this.#context.remove(this.#open.get(id).entity);
  }

  discard(id: string): void {
    const { entity } = this.#open.get(id);
    if (this.#context.entry(entity).state !== "detached") this.#context.discard(entity);
    this.#open.delete(id);
  }

  changes(): readonly StagedChange[] {
    const ids = new Map([...this.#open].map(([id, { entity }]) => [entity, id]));
    return this.#context.pendingChanges().flatMap(({ entity, subject, state }): StagedChange[] => {
      const id = ids.get(entity);
      if (id === undefined) return [];
      const open = this.#open.get(id);
      const { table, known, base, extras, refusal } = open;
      const after = state === "deleted" ? [] : this.#cellsOf(open);
      const entry = this.#context.entry(entity);
      return [
        {
          id,
          table,
          className: known.name,
          key: entry.key,
          subject,
          state: state === "added" || state === "deleted" ? state : "modified",
          properties: compareCells(base, after),
          version: state === "modified" ? extras?.version : undefined,
          error: refusal?.error,
          isInDoubt: entry.inDoubt,
          conflict: refusal?.conflict,
        },
      ];
    });
  }

  async save(ids: ReadonlySet<string> | undefined): Promise<number> {
    const chosen = [...this.#open].filter(
      ([id, { refusal }]) => (ids?.has(id) ?? true) && refusal?.conflict === undefined,
    );
    const pending = this.#pending();
    const only = chosen.map(([, { entity }]) => entity).filter((entity) => pending.has(entity));
    if (only.length === 0) return 0;
    return this.#takeResults(await this.#trySave(only));
  }

  async resolve(id: string, theirEtag: string | undefined, sides: Sides): Promise<void> {
    const open = this.#open.get(id);
    const { entity, known } = open;
    checkSides(open.refusal?.conflict, sides);
    await this.#context.resolveConflict(
      entity,
      typeof sides === "string" ? sides : ({ property }) => sides.get(property) ?? "mine",
    );
    const { etag, state } = this.#context.entry(entity);
    if (state === "detached") {
      this.#open.delete(id);
      return;
    }
    if (theirEtag !== undefined && etag !== undefined && etag !== theirEtag) {
      // It was changed again after the conflict was shown, so the user has not chosen between these values.
      await this.#noteConflict(open, "etag");
      return;
    }
    const mine = entityCells(this.#catalog.core, known, entity);
    open.base = (await this.#theirs(open))?.cells ?? mine;
    open.refusal = undefined;
  }

  async #trySave(only: readonly object[]): Promise<readonly SaveResult[]> {
    try {
      return await this.#context.saveChanges({ only });
    } catch (error) {
      if (this.#catalog.core.SaveError.is(error)) return this.#resultsOf(error, only);
      throw error;
    }
  }

  /** If validation refuses a save, there is no result for each entity. */
  #resultsOf(error: SaveError, only: readonly object[]): readonly SaveResult[] {
    if (error.results.length > 0) return error.results;
    for (const [, open] of this.#open)
      if (only.includes(open.entity))
        open.refusal = { error: error.message, isInDoubt: false, conflict: undefined };
    return [];
  }

  async #takeResults(results: readonly SaveResult[]): Promise<number> {
    let saved = 0;
    for (const { entity, outcome, error, aborted } of results) {
      const [id, open] = this.#open.find((each) => each.entity === entity) ?? [];
      if (id === undefined || open === undefined) continue;
      if (outcome === "committed") {
        saved++;
        this.#release(id, entity);
      } else if (this.#catalog.core.ConflictError.is(error) && aborted !== true)
        await this.#noteConflict(open, error.reason);
      else
        open.refusal = {
          error: error?.message ?? "It was not saved.",
          isInDoubt: outcome === "unknown",
          conflict: undefined,
        };
    }
    return saved;
  }

  async #noteConflict(open: OpenEntity, reason: ConflictError["reason"]): Promise<void> {
    // A conflict over a unique value is not between two sides of one row.
    if (reason === "unique" || reason === "busy") {
      open.refusal = { error: uniqueRefusals[reason], isInDoubt: false, conflict: undefined };
      return;
    }
    const theirs = await this.#theirs(open);
    const mine = this.#context.entry(open.entity).state === "deleted" ? [] : this.#cellsOf(open);
    open.refusal = conflictWith(reason, open.base, mine, theirs);
  }

  /** The current stored row. Undefined if it no longer exists. */
  async #theirs({
    known,
    entity,
  }: OpenEntity): Promise<{ readonly etag: string; readonly cells: readonly Cell[] } | undefined> {
    const { key } = this.#context.entry(entity);
    if (key === undefined) return undefined;
    const { core, storage } = this.#catalog;
    await using other = new core.TableContext(storage, { undeclared: "ignore" });
    try {
      const theirs = await this.#read(other, known, key);
      return entityRow(core, known, other.entry(theirs));
    } catch (error) {
      if (RequestError.is(error)) return undefined;
      throw error;
    }
  }

  /**
   * Reads the row of a key as an entity. A service responds to such a filter with a key lookup.
   *
   * @throws RequestError 404
   */
  async #read(context: TableContext, known: KnownClass, key: RowKey): Promise<object> {
    const { core } = this.#catalog;
    const filter = core.odata`PartitionKey eq ${key.partitionKey} and RowKey eq ${key.rowKey}`;
    const query = context.query(known.entityClass).filter(filter).scan();
    const found = await query.mergeOption("overwriteChanges").first();
    if (found === undefined) throw RequestError.notFound("such row: it was deleted, or has another class");
    return found;
  }

  #find(table: string, key: RowKey): readonly [string, OpenEntity] | undefined {
    return this.#open.find(({ entity, table: its }) => {
      const own = this.#context.entry(entity).key;
      return its === table && own?.partitionKey === key.partitionKey && own.rowKey === key.rowKey;
    });
  }

  #openRow(id: string, { table, known, entity, extras }: OpenEntity): OpenRow {
    return { id, table, ...entityRow(this.#catalog.core, known, this.#context.entry(entity)), extras };
  }

  #cellsOf({ known, entity }: OpenEntity): readonly Cell[] {
    return entityCells(this.#catalog.core, known, entity);
  }

  /** Detaches an entity. Opening its row again then reads the stored values. */
  #release(id: string, entity: object): void {
    this.#context.detach(entity);
    this.#open.delete(id);
  }

  #releaseOldest(rows: ReadonlyMap<string, OpenEntity>): string | undefined {
    const pending = this.#pending();
    const [id, oldest] = [...rows].find(([, { entity }]) => !pending.has(entity)) ?? [];
    if (oldest !== undefined) this.#context.detach(oldest.entity);
    return id;
  }

  #pending(): ReadonlySet<object> {
    return new Set(this.#context.pendingChanges().map(({ entity }) => entity));
  }
}

const uniqueRefusals = {
  unique: "Another row already has this value of a unique index. Change it, or discard this change.",
  busy: "Other programs are saving this value of a unique index. Save again after a moment.",
};
