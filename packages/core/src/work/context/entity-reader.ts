import { inherits } from "../../values/errors/brand.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { KindError } from "../../values/errors/kind-error.ts";
import { type CheckedRow, kindChooser, shownKindOf, unreadableRow } from "../../model/codec/choose-kind.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { readProjection } from "../../model/codec/decode-entity.ts";
import { etagOf, isEntityRow, keyOfStored } from "../../model/codec/row-layout.ts";
import { subjectOf } from "../../model/codec/encode-entity.ts";
import { valueIn } from "../../model/codec/embedded-values.ts";
import { notLoaded } from "../../model/codec/snapshot.ts";
import type { EntityClass } from "../../model/declaration/entity-definition.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import { ownedListsOf } from "../../model/declaration/owned-model.ts";
import { abortSignal, accepted, oneOf } from "../../values/options/checks.ts";
import { type Check, type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { RowStorage } from "../../storage/store-engine.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";
import type { ChangeTracker } from "../unit-of-work/change-tracker.ts";
import { compareLists, membersRead } from "../unit-of-work/compare-lists.ts";
import { inFlight } from "../unit-of-work/state-errors.ts";
import { checkAssignable } from "../../model/codec/check-assignable.ts";
import { completeEntity, refreshFromRow } from "../unit-of-work/merge-row.ts";
import { type MergeOption, mergeOptions } from "../../model/declaration/merge-option.ts";
import { isAsInSnapshot } from "../../model/codec/comparison.ts";
import { takeRow } from "../unit-of-work/identity-map.ts";
import type { PropertyConflict, TrackedEntity } from "../unit-of-work/tracked-entity.ts";
import type { Materializing, RowTaker } from "../../query/query-state.ts";
import { unlessUnreadable, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import { readMovingRow } from "../save/former-rows.ts";
import type { SaveSource } from "../save/save-state.ts";
import { upgradeRows } from "../save/upgrade-rows.ts";
import type { ContextOptions } from "./context-options.ts";

/** Options of `find`. */
export interface FindOptions extends Pick<RequestOptions, "signal" | "retry"> {
  /**
   * How the row is merged with a tracked entity. Without this option, a tracked entity is returned without reading.
   *
   * ```ts
   * const fresh = await context.find(Blog, { channel, postedOn }, { mergeOption: "overwriteChanges" });
   * ```
   */
  readonly mergeOption?: MergeOption | undefined;
  /**
   * How `find` handles a row that cannot be read, instead of the context's setting.
   *
   * ```ts
   * const readable = await context.find(Blog, { channel, postedOn }, { unreadableRows: "skip" });
   * ```
   */
  readonly unreadableRows?: "error" | "skip" | undefined;
}

/** The result of reading a key: its row, or that there is none. */
export interface ReadKey {
  readonly row: StoredEntity | undefined;
  /** The context's count of saves at the time of the request. */
  readonly readAt: number;
}

/** Keys that were already read; returns undefined for others. */
export type KnownKeys = (key: EntityKey) => ReadKey | undefined;

/** Lists that are read with an entity. */
export interface IncludedLists<Name extends string> {
  /**
   * The lists to load, by name. The entity and its members are read as one key range, even if the entity is tracked.
   *
   * ```ts
   * const found = await new TableContext(storage).find(
   *   Order,
   *   { tenant: "acme", id: "7" },
   *   { include: "lines" },
   * );
   * console.log(found?.lines.length); // → 2
   * ```
   */
  readonly include?: Name | readonly Name[] | undefined;
}

/** Options of `reload`. */
export interface ReloadOptions extends Pick<RequestOptions, "signal" | "retry"> {
  /**
   * How edits are handled: `overwriteChanges` (default) drops them, `preserveChanges` applies them over the stored
   * values.
   *
   * ```ts
   * blog.text = "Mine";
   * await context.reload(blog, { mergeOption: "preserveChanges" });
   * console.log(blog.text); // → Mine
   * ```
   */
  readonly mergeOption?: "overwriteChanges" | "preserveChanges" | undefined;
}

/** The names of lists of children. */
export const listNames: Check<string | readonly string[]> = accepted(
  "the name of a list, or several",
  (value) => [value].flat().every((name) => typeof name === "string"),
);

/** @throws OptionError `context.option` */
export const checkFindOptions: CheckOptions = defineOptions<FindOptions & IncludedLists<string>>(
  "find(Class, key, options)",
  {
    include: listNames,
    mergeOption: oneOf(...mergeOptions),
    unreadableRows: oneOf("error", "skip"),
    signal: abortSignal,
    retry: aRetryPolicy,
  },
);

/** @throws OptionError `context.option` */
export const checkReloadOptions: CheckOptions = defineOptions<ReloadOptions>("reload(entity, options)", {
  mergeOption: oneOf("overwriteChanges", "preserveChanges"),
  signal: abortSignal,
  retry: aRetryPolicy,
});

/** Reads single rows into a context's entities. */
export class EntityReader implements RowTaker {
  readonly #source: SaveSource;
  readonly #storage: RowStorage;
  readonly #tracker: ChangeTracker;
  readonly #mergeOption: MergeOption;
  readonly #unreadableRows: UnreadableRowPolicy;
  /** Whether upgraded rows of older versions are stored immediately. */
  readonly #writesUpgrades: boolean;

  constructor(source: SaveSource, options: ContextOptions) {
    this.#source = source;
    this.#storage = source.storage;
    this.#tracker = source.tracker;
    this.#mergeOption = options.mergeOption ?? "appendOnly";
    this.#unreadableRows = options.unreadableRows ?? "error";
    this.#writesUpgrades = options.upgrade === "write";
  }

  /**
   * Returns the first entity that is found under these keys.
   *
   * @param known - rows that were read already
   * @throws KindError
   */
  async find(
    entityClass: EntityClass,
    model: EntityModel,
    keys: readonly EntityKey[],
    options: FindOptions,
    known?: KnownKeys,
  ): Promise<object | undefined> {
    for (const key of keys) {
      const entity = await this.#findOne(entityClass, model, key, options, known?.(key));
      if (entity !== undefined) return entity;
    }
    return undefined;
  }

  /** Finds the entity with a key: the tracked one if it is fully loaded, otherwise from its row. */
  async #findOne(
    entityClass: EntityClass,
    model: EntityModel,
    key: EntityKey,
    { mergeOption: merge, unreadableRows: policy, ...options }: FindOptions,
    known: ReadKey | undefined,
  ): Promise<object | undefined> {
    const unreadableRows = policy ?? this.#unreadableRows;
    const tracked = this.#tracker.entities.ofKey(model, key);
    if (tracked !== undefined && merge === undefined) {
      const entity = presentOf(tracked, entityClass, model);
      if (entity !== undefined && isPartlyLoaded(tracked)) await this.#complete(tracked, options);
      return entity;
    }
    const readAt = known?.readAt ?? this.#tracker.revision;
    const isKnown =
      known !== undefined && (known.row !== undefined || model.options.formerKeys === undefined);
    const read = isKnown ? known.row : await this.#readRow(model, key, options);
    this.#tracker.entities.checkStillOpen();
    if (read === undefined || !isEntityRow(read)) return undefined;
    const chooser = kindChooser([entityClass]);
    const check = (row: StoredEntity): CheckedRow | undefined => {
      if (!this.#tracker.scope.holds(model, row)) return undefined;
      const found = chooser.choose(row);
      if (found !== undefined) return { row, model: found };
      throw KindError.mismatch(subjectOf(model, key), model.name, shownKindOf(model, row));
    };
    const option = merge ?? this.#mergeOption;
    const checked =
      unreadableRows === "error"
        ? check(read)
        : readBy(
            unreadableRows,
            { model, row: read },
            () => check(read),
            (row) => row,
          );
    if (checked === undefined) return undefined;
    const found = this.#writesUpgrades
      ? (await this.upgradeNow([checked], check, option, options.signal))[0]
      : checked;
    if (found === undefined) return undefined;
    const entity = this.materialize(found, { merge: option, readAt, unreadableRows });
    if (entity === undefined || option === "noTracking") return entity;
    const entry = this.#tracker.entities.ofEntity(entity);
    return entry === undefined ? entity : presentOf(entry, entityClass, model);
  }

  /** Reads a tracked entity again. @throws StateError `entity.in-flight`; KindError */
  async reload(
    tracked: TrackedEntity,
    keepsEdits: boolean,
    options: RequestOptions | undefined,
  ): Promise<void> {
    if (tracked.isInFlight) throw inFlight(tracked, "reload");
    checkAssignable(tracked.entity, tracked.model, tracked.key, "reload()");
    let row: StoredEntity | undefined;
    let readAt: number;
    const current = { ...options, mayBeStale: false };
    do {
      readAt = this.#tracker.revision;
      row = await this.#current(tracked, current);
      this.#tracker.entities.checkStillOpen();
      // Meanwhile it may have been detached, or saved; then the row is older than the entity.
      if (this.#tracker.entities.ofEntity(tracked.entity) !== tracked) return;
      if (tracked.isInFlight) throw inFlight(tracked, "reload");
    } while (readAt < tracked.savedAt);
    if (row !== undefined) checkKind(tracked, row);
    if (!keepsEdits || row === undefined) this.#tracker.takeStored(tracked, row);
    else if (tracked.snapshot !== undefined) refreshFromRow(tracked, row, "preserveChanges");
    else this.#takeUnder(tracked, row);
  }

  /** Reads the row with a key. While rows are being moved, also tries its former key. */
  #readRow(model: EntityModel, key: EntityKey, options: RequestOptions): Promise<StoredEntity | undefined> {
    return model.options.formerKeys === undefined
      ? this.#storage.get(model.table, key, options)
      : readMovingRow(this.#storage, model, key, options);
  }

  /** Reads the row of a tracked entity; undefined also for a row of another scope. */
  async #current({ model, key }: TrackedEntity, options: RequestOptions): Promise<StoredEntity | undefined> {
    const row = await this.#readRow(model, key, options);
    return row !== undefined && this.#tracker.scope.holds(model, row) ? row : undefined;
  }

  /** Applies the values of a new entity over the row that took its key: all of them are edits. */
  #takeUnder(tracked: TrackedEntity, row: StoredEntity): void {
    const values = tracked.entity as Record<string, unknown>;
    const mine = { ...values };
    const isRemoved = tracked.intent.type === "remove";
    this.#tracker.takeStored(tracked, row, !isRemoved);
    // It stays removed, but under the version that was read.
    if (isRemoved) tracked.intent = { type: "remove" };
    if (!isRemoved) tracked.conflicts = keepOver(tracked, mine);
    for (const conflict of tracked.conflicts) values[conflict.property] = conflict.mine;
  }

  /**
   * Returns the entity of a row; undefined if this context has removed it since the request, or if the row is skipped
   * because it cannot be read.
   *
   * @throws StateError `context.disposed` when the context was closed meanwhile
   */
  materialize(row: CheckedRow, how: Materializing): object | undefined {
    this.#tracker.entities.checkStillOpen();
    if (row.unreadable !== undefined) return row.unreadable;
    const unreadableRows = how.unreadableRows ?? this.#unreadableRows;
    if (unreadableRows === "error") return this.#build(row, how);
    return readBy(
      unreadableRows,
      row,
      () => this.#build(row, how),
      ({ unreadable }) => unreadable,
    );
  }

  #build(checked: CheckedRow, { merge, readAt, loaded }: Materializing): object | undefined {
    const { materialized } = this.#source.hooks;
    if (merge !== "noTracking")
      return takeRow(this.#tracker, checked, { option: merge, readAt, loaded, onNew: materialized });
    // A row that was read from bytes is only parsed on demand.
    const { model, scanned } = checked;
    const read = (): object =>
      loaded === undefined
        ? decodeEntity(model, checked.row, undefined).entity
        : readProjection(model, checked.row, loaded);
    const entity = scanned?.entity ?? read();
    materialized?.(entity);
    return entity;
  }

  showChildren(
    parent: object,
    property: string,
    build: () => (object | undefined)[],
    merge: MergeOption,
  ): void {
    const tracker = this.#tracker;
    const entry = merge === "noTracking" ? undefined : tracker.entities.ofEntity(parent);
    const owned = entry && ownedListsOf(entry.model).find((each) => each.property === property);
    const values = parent as Record<string, unknown>;
    if (entry === undefined || owned === undefined) {
      values[property] = build().filter((child) => child !== undefined);
      return;
    }
    // Compare first: members added and removed until now would be lost with the replaced list.
    compareLists(tracker, [entry]);
    const list = tracker.entities.lists.of(entry, property, owned.child);
    const built = build();
    const isLeft = (child: object): boolean => tracker.entities.ofEntity(child)?.intent.type !== "remove";
    const children = built.filter((child) => child !== undefined);
    values[property] = membersRead(tracker, list, children.filter(isLeft));
    // A skipped, unreadable row is unknown, and `remove` would leave it in storage.
    list.isLoaded = children.length === built.length;
  }

  /**
   * Stores upgraded rows of tracked entities, if the context writes upgrades immediately.
   *
   * @param check - returns the class of a row that was stored again; undefined if the row no longer matches
   */
  async upgradeNow(
    rows: readonly CheckedRow[],
    check: (row: StoredEntity) => CheckedRow | undefined,
    merge: MergeOption,
    signal: AbortSignal | undefined,
  ): Promise<readonly CheckedRow[]> {
    const [first] = rows;
    if (!this.#writesUpgrades || merge === "noTracking" || first === undefined) return rows;
    // Rows under former keys are upgraded when they are moved.
    if (first.model.options.formerKeys !== undefined) return rows;
    // The version of a tracked entity must not change without its knowledge.
    const untracked = rows.map(({ row, model, unreadable }) => {
      const isTracked = this.#tracker.entities.ofKey(model, keyOfStored(row)) !== undefined;
      return { row, model: isTracked || unreadable !== undefined ? undefined : model };
    });
    const now: (CheckedRow | undefined)[] = [...rows];
    let isChanged = false;
    const take = (index: number, row: StoredEntity | undefined): void => {
      now[index] = row && check(row);
      isChanged = true;
    };
    await upgradeRows(this.#storage, first.model.table, untracked, {
      isTolerant: true,
      indexStates: this.#source.indexStates,
      onUpgraded: (index, rowOf) => take(index, rowOf()),
      onChanged: take,
      ...(signal !== undefined && { signal }),
    });
    return isChanged ? now.filter((checked) => checked !== undefined) : rows;
  }

  /** Reads the properties that a projection left out. If the version differs, it only marks the entity as stale. */
  async #complete(tracked: TrackedEntity, options: RequestOptions): Promise<void> {
    const readAt = this.#tracker.revision;
    const row = await this.#current(tracked, { ...options, mayBeStale: false });
    this.#tracker.entities.checkStillOpen();
    if (row === undefined || tracked.isInFlight || readAt < tracked.savedAt) return;
    completeEntity(tracked, row);
    if (tracked.etag !== "*") tracked.isStale = tracked.etag !== etagOf(row);
  }
}

/** Returns the result of reading a row, or the policy's result if it cannot be read. */
function readBy<Result>(
  policy: Exclude<UnreadableRowPolicy, "error">,
  row: CheckedRow,
  read: () => Result,
  asRaw: (row: CheckedRow) => Result | undefined,
): Result | undefined {
  return unlessUnreadable<Result | undefined>(policy, read, (_, error) =>
    policy === "raw" ? asRaw(unreadableRow(row.model, row.row, error)) : undefined,
  );
}

const isPartlyLoaded = ({ snapshot }: TrackedEntity): boolean =>
  snapshot !== undefined &&
  (snapshot.values.includes(notLoaded) || (snapshot.age === "older" && !snapshot.isComplete));

/** Returns the entity, unless it is marked to be deleted. @throws KindError if it is of another class */
function presentOf(
  { entity, model, key, intent }: TrackedEntity,
  asked: EntityClass,
  of: EntityModel,
): object | undefined {
  const isAsked = model.entityClass === asked || inherits(model.entityClass.prototype, asked);
  if (!isAsked) throw KindError.mismatch(subjectOf(of, key), of.name, model.name);
  return intent.type === "remove" ? undefined : entity;
}

function checkKind({ model, key }: TrackedEntity, row: StoredEntity): void {
  const found = kindChooser([model.entityClass]).choose(row);
  if (found !== model) throw KindError.mismatch(subjectOf(model, key), model.name, shownKindOf(model, row));
}

/** Keeps the values of a new entity that the row under its key lacks. */
function keepOver(
  { model, snapshot, entity }: TrackedEntity,
  mine: Readonly<Record<string, unknown>>,
): PropertyConflict[] {
  const theirs = entity as Readonly<Record<string, unknown>>;
  return model.properties.flatMap((property, i) => {
    const value = valueIn(property, mine);
    if (value === undefined || isAsInSnapshot(property, snapshot?.values[i], value)) return [];
    return [{ property: property.name, base: undefined, mine: value, theirs: valueIn(property, theirs) }];
  });
}
