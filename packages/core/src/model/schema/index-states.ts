import { cancelled } from "../../values/errors/storage-error.ts";
import type { IndexState } from "../declaration/entity-definition.ts";
import { type EntityModel, findIndex, type IndexModel } from "../declaration/entity-model.ts";
import { baseOf, kindsBelow } from "../declaration/model-registry.ts";
import { retryReads, retriesOf } from "../../storage/with-retry.ts";
import { sharedBy, sharedStateOf } from "../../storage/shared-state.ts";
import type { RequestOptions, TableStorage } from "../../storage/table-storage.ts";
import { clearStates, readStates, type RecordedStates, recordStates } from "./schema-table.ts";

/*
 * Whether an index has the rows of all entities is recorded in storage, next to the table, and not claimed by a class: a
 * program cannot know what was stored before its release. An index whose state is not recorded as `ready` is written, but
 * not read.
 */

/**
 * The state of an index: as recorded, or as declared in tables with `indexStates: "declared"`.
 *
 * - `awaited`: releases are supported that do not write it.
 * - `unrecorded`: storage knows nothing of it, so it has not been built.
 * - `unreadable`: the credentials may not read the table `PartitaSchema`.
 * - `unread`: storage has not been asked yet.
 */
export type KnownIndexState = IndexState | "awaited" | "unrecorded" | "unreadable" | "unread";

/** An index, and the class that has it. */
export interface IndexOfClass {
  readonly model: EntityModel;
  readonly index: IndexModel;
}

/** What a storage recorded when it was last asked, by table. */
type Known = Map<string, RecordedStates | "unreadable">;

/** Contexts over one storage share what it recorded. */
const knownIn = sharedBy((): Known => new Map());

const knownOf = (storage: TableStorage): Known => knownIn(sharedStateOf(storage));

/**
 * The states of indexes, as one context sees them. `ready` is remembered as long as the storage is open; for any other state,
 * the next context asks again.
 */
export class IndexStates {
  readonly #through: TableStorage;
  readonly #known: Known;
  readonly #asked = new Map<string, Promise<void>>();

  /** @param through - the same storage, as this context observes its requests and retries them */
  constructor(storage: TableStorage, through: TableStorage = retryReads(storage, retriesOf(storage))) {
    this.#known = knownOf(storage);
    this.#through = through;
  }

  /** The state of an index as far as it is known; sends nothing. */
  stateOf({ model, index }: IndexOfClass): KnownIndexState {
    if (index.isUnread && index.state !== "retired") return "awaited";
    if (!isRecorded({ model, index })) return index.state ?? "ready";
    const states = this.#known.get(tableOf(model));
    if (states === undefined) return "unread";
    if (states === "unreadable") return "unreadable";
    const own = stateIn(states, model, index);
    if (own !== "ready" || model.kind !== undefined) return own;
    // A base is asked for the rows of its kinds, too.
    const kinds = [...kindsBelow(model.entityClass).values()];
    return kinds.map((kind) => stateOfKind(states, kind, index)).find((state) => state !== "ready") ?? own;
  }

  /**
   * Asks storage for the states of these indexes, which are of one table.
   *
   * @param signal - ends the wait of this caller; the request goes on for others
   * @returns undefined where all are ready, or this context has asked already
   */
  ask(indexes: readonly IndexOfClass[], signal?: AbortSignal): Promise<void> | undefined {
    const open = indexes.find((each) => isRecorded(each) && this.stateOf(each) !== "ready");
    const asking = open && this.#askFor(tableOf(open.model));
    return asking && unlessAborted(asking, signal);
  }

  /** The same, unless any context over the storage has asked already. */
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
   * Records a state of these indexes, which are of one table.
   *
   * @param isOfEveryKind - whether the table has no rows of kinds that the caller doesn't know: then a base that is ready is
   *   ready for kinds that are declared later, too
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
    // Any other state ends what was recorded of kinds to come.
    if (isOfEveryKind === true || state !== "ready")
      for (const { model, index } of own) if (model.kind === undefined) names.add(nameForEveryKind(index));
    const table = tableOf(first.model);
    await recordStates(this.#through, table, [...names], state, options);
    const known = this.#known.get(table);
    const states = new Map(known === "unreadable" ? [] : known);
    for (const name of names) states.set(name, state);
    this.#known.set(table, states);
  }

  /** Clears what was recorded of an earlier table of this name. */
  async clear(table: string, options?: RequestOptions): Promise<void> {
    this.#known.delete(table.toLowerCase());
    await clearStates(this.#through, table.toLowerCase(), options);
  }
}

const answered = Promise.resolve();

/** Work that several wait for, until one of them stops waiting. @throws StorageError `storage.cancelled` */
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

/** Whether storage records the state of an index. Declared as retired, it is neither written nor read, whatever is recorded. */
const isRecorded = ({ model, index }: IndexOfClass): boolean =>
  model.options.indexStates === "recorded" && index.state !== "retired" && !index.isUnread;

const tableOf = ({ table }: EntityModel): string => table.toLowerCase();

/** The text that a state is recorded for. A kind may get an index that another kind of the table has had for long. */
const recordedName = ({ kind }: EntityModel, { definition }: IndexModel): string =>
  kind === undefined ? definition : `${definition} of ${kind.name}`;

/** The text for all kinds that inherit an index, those included that are declared later. */
const nameForEveryKind = ({ definition }: IndexModel): string => `every kind: ${definition}`;

/** What is recorded of an index of a class; of one that a kind inherits, what is recorded of every kind. */
function stateIn(states: RecordedStates, model: EntityModel, index: IndexModel): IndexState | "unrecorded" {
  const own = states.get(recordedName(model, index));
  if (own !== undefined) return own;
  const isInherited =
    baseOf(model)?.indexes.some(({ definition }) => definition === index.definition) === true;
  return (isInherited ? states.get(nameForEveryKind(index)) : undefined) ?? "unrecorded";
}

/** The same of the index as a kind has it; a kind that declares it otherwise, or has retired it, has it by another name. */
function stateOfKind(states: RecordedStates, kind: EntityModel, { name }: IndexModel): KnownIndexState {
  const index = findIndex(kind, name);
  return index === undefined ? "ready" : (index.state ?? stateIn(states, kind, index));
}
