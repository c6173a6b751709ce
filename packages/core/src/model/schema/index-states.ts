import { cancelled } from "../../values/errors/storage-error.ts";
import type { IndexState } from "../declaration/entity-definition.ts";
import { type EntityModel, findIndex, type IndexModel } from "../declaration/entity-model.ts";
import { baseOf, kindsBelow } from "../declaration/model-registry.ts";
import { retryReads, retriesOf } from "../../storage/with-retry.ts";
import { sharedBy, sharedStateOf } from "../../storage/shared-state.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { clearStates, readStates, type RecordedStates, recordStates } from "./schema-table.ts";

/*
 * Storage records whether an index has the rows of all entities, next to the table. A class cannot declare it: a
 * program does not know which rows were stored before its release. An index without the recorded state `ready` is
 * written, but not read.
 */

/**
 * The state of an index: as recorded, or as declared in tables with `indexStates: "declared"`.
 *
 * - `awaited`: supported releases do not write it.
 * - `unrecorded`: storage has no state for it, so it has not been built.
 * - `unreadable`: the credentials may not read the table `PartitaSchema`.
 * - `unread`: its state was not read yet.
 */
export type KnownIndexState = IndexState | "awaited" | "unrecorded" | "unreadable" | "unread";

/** An index, and the class that has it. */
export interface IndexOfClass {
  readonly model: EntityModel;
  readonly index: IndexModel;
}

/** The states that were last read from a storage, by table. */
type Known = Map<string, RecordedStates | "unreadable">;

/** Shared by all contexts over one storage. */
const knownIn = sharedBy((): Known => new Map());

const knownOf = (storage: TableStorage): Known => knownIn(sharedStateOf(storage));

/**
 * The states of indexes for one context. `ready` is remembered as long as the storage is open; any other state is read
 * again by the next context.
 */
export class IndexStates {
  readonly #through: TableStorage;
  readonly #known: Known;
  readonly #asked = new Map<string, Promise<void>>();

  /** @param through - the same storage, with the hooks and retries of this context */
  constructor(storage: TableStorage, through: TableStorage = retryReads(storage, retriesOf(storage))) {
    this.#known = knownOf(storage);
    this.#through = through;
  }

  /** The state of an index as far as it is known; sends no request. */
  stateOf({ model, index }: IndexOfClass): KnownIndexState {
    if (index.isUnread && index.state !== "retired") return "awaited";
    if (!isRecorded({ model, index })) return index.state ?? "ready";
    const states = this.#known.get(tableOf(model));
    if (states === undefined) return "unread";
    if (states === "unreadable") return "unreadable";
    const own = stateIn(states, model, index);
    if (own !== "ready" || model.kind !== undefined) return own;
    // A query over a base reads the rows of its kinds, too.
    const kinds = [...kindsBelow(model.entityClass).values()];
    return kinds.map((kind) => stateOfKind(states, kind, index)).find((state) => state !== "ready") ?? own;
  }

  /**
   * Reads the states of these indexes of one table.
   *
   * @param signal - ends the wait of this caller; the request continues for others
   * @returns undefined if all are ready, or this context has read them already
   */
  ask(indexes: readonly IndexOfClass[], signal?: AbortSignal): Promise<void> | undefined {
    const open = indexes.find((each) => isRecorded(each) && this.stateOf(each) !== "ready");
    const asking = open && this.#askFor(tableOf(open.model));
    return asking && unlessAborted(asking, signal);
  }

  /** The same, unless any context over the storage has read them already. */
  askOnce(indexes: readonly IndexOfClass[], signal?: AbortSignal): Promise<void> | undefined {
    return indexes.some((each) => this.stateOf(each) === "unread") ? this.ask(indexes, signal) : undefined;
  }

  #askFor(table: string): Promise<void> | undefined {
    const asked = this.#asked.get(table);
    if (asked !== undefined) return asked === answered ? undefined : asked;
    const read = async (): Promise<void> => {
      try {
        this.#known.set(table, (await readStates(this.#through, table)) ?? "unreadable");
        this.#asked.set(table, answered);
      } catch (error) {
        this.#asked.delete(table);
        throw error;
      }
    };
    const asking = read();
    this.#asked.set(table, asking);
    return asking;
  }

  /**
   * Records a state for these indexes of one table.
   *
   * @param isOfEveryKind - whether the table has no rows of kinds that the caller doesn't know: then a base that is
   *   ready is also ready for kinds that are declared later
   */
  async record(
    indexes: readonly IndexOfClass[],
    state: IndexState,
    { isOfEveryKind, ...options }: RequestOptions & { readonly isOfEveryKind?: boolean } = {},
  ): Promise<void> {
    const own = indexes.filter(
      ({ model, index }) =>
        model.options.indexStates === "recorded" && !(state === "ready" && index.isUnread),
    );
    const [first] = own;
    if (first === undefined) return;
    const names = new Set(own.map(({ model, index }) => recordedName(model, index)));
    // Any other state ends the state recorded for future kinds.
    if (isOfEveryKind === true || state !== "ready")
      for (const { model, index } of own) if (model.kind === undefined) names.add(nameForEveryKind(index));
    const table = tableOf(first.model);
    await recordStates(this.#through, table, [...names], state, options);
    const known = this.#known.get(table);
    const states = new Map(known === "unreadable" ? [] : known);
    for (const name of names) states.set(name, state);
    this.#known.set(table, states);
  }

  /** Clears the states recorded for an earlier table with this name. */
  async clear(table: string, options?: RequestOptions): Promise<void> {
    this.#known.delete(table.toLowerCase());
    await clearStates(this.#through, table.toLowerCase(), options);
  }
}

const answered = Promise.resolve();

/** Work that several callers wait for, until one of them stops waiting. @throws StorageError `storage.cancelled` */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(cancelled(signal));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Whether storage records the state of an index. An index declared as retired is neither written nor read, regardless
 * of its recorded state.
 */
const isRecorded = ({ model, index }: IndexOfClass): boolean =>
  model.options.indexStates === "recorded" && index.state !== "retired" && !index.isUnread;

const tableOf = ({ table }: EntityModel): string => table.toLowerCase();

/**
 * The name of a recorded state. A kind may get an index that another kind of the table has had for long.
 */
const recordedName = ({ kind }: EntityModel, { definition }: IndexModel): string =>
  kind === undefined ? definition : `${definition} of ${kind.name}`;

/** The name for all kinds that inherit an index, including kinds that are declared later. */
const nameForEveryKind = ({ definition }: IndexModel): string => `every kind: ${definition}`;

/** The recorded state of an index of a class. For an index that a kind inherits, it is the state for every kind. */
function stateIn(states: RecordedStates, model: EntityModel, index: IndexModel): IndexState | "unrecorded" {
  const own = states.get(recordedName(model, index));
  if (own !== undefined) return own;
  const isInherited =
    baseOf(model)?.indexes.some(({ definition }) => definition === index.definition) === true;
  return (isInherited ? states.get(nameForEveryKind(index)) : undefined) ?? "unrecorded";
}

/** The same for the index of one kind. If a kind declares the index differently or has retired it, its name differs. */
function stateOfKind(states: RecordedStates, kind: EntityModel, { name }: IndexModel): KnownIndexState {
  const index = findIndex(kind, name);
  return index === undefined ? "ready" : (index.state ?? stateIn(states, kind, index));
}
