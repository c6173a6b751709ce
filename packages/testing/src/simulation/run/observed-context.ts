import {
  type ContextOptions,
  type PendingChange,
  type ReloadOptions,
  type ResolveOptions,
  SaveError,
  type SaveOptions,
  type SaveResult,
  TableContext,
  type TableStorage,
  toPlain,
} from "@partita/core";
import { modelOf } from "@partita/core/models";
import { sendKey, type sendWith } from "@partita/core/internal";
import type { ReportedResult } from "../history/journal.ts";
import { scopes } from "./own-time.ts";

/** Collects the results that a context reports. */
export interface ResultCollector {
  nextEntity(): number;
  startSave(options: SaveOptions): number;
  collect(result: Pick<ReportedResult, keyof Subject | "save" | "result" | "isLast">): void;
}

type SendWith = typeof sendWith;

type Subject = Pick<ReportedResult, "table" | "partitionKey" | "rowKey" | "entity" | "wants" | "revision">;

/** A context that records its saves for the comparison with the store. */
export class ObservedContext extends TableContext {
  readonly #collector: ResultCollector;
  #subjects: WeakMap<object, Subject> = new WeakMap();
  /** Entities whose last result was unknown. */
  readonly #unknown = new Set<object>();
  /** Counts changes of each entity other than values. */
  readonly #revisions: WeakMap<object, number> = new WeakMap();

  static {
    const { [sendKey]: send } = TableContext.prototype as unknown as Readonly<Record<symbol, SendWith>>;
    const value: SendWith = (context, entity, message) => {
      send?.(context, entity, message);
      if (#revisions in context) context.#revise(entity);
    };
    Object.defineProperty(this.prototype, sendKey, { value });
  }

  constructor(storage: TableStorage, options: ContextOptions, collector: ResultCollector) {
    super(storage, options);
    this.#collector = collector;
  }

  override async saveChanges(options: SaveOptions = {}): Promise<readonly SaveResult[]> {
    const save = this.#collector.startSave(options);
    const more = { save, isLast: false };
    for (const change of this.pendingChanges()) this.#note(change.entity, wantsOf(change));
    const scope = scopes.getStore();
    const run = (): Promise<readonly SaveResult[]> => super.saveChanges(options);
    try {
      const results = await (scope === undefined ? run() : scopes.run({ ...scope, save }, run));
      this.#collect(results, more);
      return results;
    } catch (error) {
      if (SaveError.is(error)) this.#collect(error.results, more);
      throw error;
    }
  }

  override async resolveInDoubt(options?: ResolveOptions): Promise<readonly SaveResult[]> {
    const results = await super.resolveInDoubt(options);
    this.#collect(results, { save: undefined, isLast: false });
    return results;
  }

  /** Resolves once faults have stopped. @returns the results of changes that are still in doubt */
  async resolveAtEnd(): Promise<readonly SaveResult[]> {
    const results = await super.resolveInDoubt({ wait: true });
    this.#collect(results, { save: undefined, isLast: true });
    return super.resolveInDoubt();
  }

  override update<Entity extends object>(entity: Entity, ...properties: (keyof Entity & string)[]): void {
    super.update(entity, ...properties);
    this.#revise(entity);
  }

  #revise(entity: object): void {
    this.#revisions.set(entity, (this.#revisions.get(entity) ?? 0) + 1);
  }

  // After each of these methods, the next change is a different one, even with the same values.

  override discard(entity: object): void {
    super.discard(entity);
    this.#end(entity);
  }

  override detach(entity: object): boolean {
    const isDetached = super.detach(entity);
    this.#end(entity);
    return isDetached;
  }

  override clear(options?: { readonly discard?: boolean | undefined }): void {
    super.clear(options);
    this.#subjects = new WeakMap();
  }

  override async reload(entity: object, options: ReloadOptions = {}): Promise<void> {
    await super.reload(entity, options);
    if (options.mergeOption !== "preserveChanges") this.#end(entity);
  }

  /** Ends the change of an entity, unless a request of it is in doubt and will still have a result. */
  #end(entity: object): void {
    if (!this.entry(entity).inDoubt) this.#subjects.delete(entity);
  }

  /** Remembers the key of an entity, which deleting it removes. */
  #note(entity: object, wants: string): Subject | undefined {
    const former = this.#subjects.get(entity);
    const key = this.entry(entity).key ?? former;
    if (key === undefined) return undefined;
    const { partitionKey, rowKey } = key;
    const { table } = modelOf(entity.constructor as Parameters<typeof modelOf>[0]);
    const number = former?.entity ?? this.#collector.nextEntity();
    const revision = this.#revisions.get(entity) ?? 0;
    const subject = { table, partitionKey, rowKey, entity: number, wants, revision };
    this.#subjects.set(entity, subject);
    return subject;
  }

  #collect(results: readonly SaveResult[], more: Pick<ReportedResult, "save" | "isLast">): void {
    for (const result of results) {
      const { entity, outcome } = result;
      const subject = this.#subjects.get(entity) ?? this.#note(entity, "");
      if (subject !== undefined) this.#collector.collect({ ...subject, ...more, result });
      if (outcome === "unknown") this.#unknown.add(entity);
      else this.#unknown.delete(entity);
    }
    // A save that fails for another entity may find a change stored without reporting it.
    for (const entity of this.#unknown) {
      if (this.entry(entity).state !== "unchanged") continue;
      this.#unknown.delete(entity);
      this.#end(entity);
    }
  }
}

/** Properties with a value that are not in the key. */
function ownNamesOf(entity: object, values: Readonly<Record<string, unknown>>): string[] {
  const { properties } = modelOf(entity.constructor as Parameters<typeof modelOf>[0]);
  return properties.map(({ name }) => name).filter((name) => values[name] !== undefined);
}

/** An entity that cannot be shown as plain values is not compared. */
function wantsOf({ entity, state, assigned, cleared }: PendingChange): string {
  if (state === "deleted") return "delete";
  try {
    const values = toPlain(entity, { hidden: true }) as Readonly<Record<string, unknown>>;
    const edited = [...assigned, ...cleared];
    // An entity that was removed and added back requests all of its values, although none was edited.
    const names = state === "modified" && edited.length > 0 ? edited : ownNamesOf(entity, values);
    return JSON.stringify(names.map((name) => [name, values[name] ?? null]));
  } catch {
    return "";
  }
}
