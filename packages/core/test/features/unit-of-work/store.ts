import {
  type Fault,
  type FaultPlan,
  type FaultyStorage,
  type VirtualClock,
  virtualClock,
  withFaults,
  writeFaults,
} from "@partita/testing";
import { expect } from "vitest";
import {
  binary,
  bool,
  type ConflictError,
  createTables,
  dateTime,
  defineEntity,
  defineKind,
  double,
  type EntityClass,
  int32,
  json,
  openStorage,
  type SaveError,
  type SaveOptions,
  TableContext,
  type TableStorage,
  text,
} from "../../../src/index.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";
import { fixed } from "../../../src/rest.ts";

export class Note extends defineEntity({
  table: "Notes",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: {
    title: text(),
    pages: int32().default(0),
    weight: double().optional(),
    editedOn: dateTime().optional(),
    tags: json<string[]>().optional(),
    cover: binary().optional(),
    hidden: bool().optional(),
  },
}) {}

/** Rows that several programs claim. */
export class Claim extends defineEntity({
  table: "Claims",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { owner: text().optional(), count: int32().default(0) },
}) {}

/** Rows whose transactions leave a marker. */
export class Ticket extends defineEntity({
  table: "Tickets",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { owner: text().optional(), count: int32().default(0) },
  proof: "marker",
}) {}

class Thing extends defineEntity({
  table: "Things",
  partitionKey: { book: text() },
  rowKey: { id: text() },
  properties: { title: text().optional() },
}) {}
export class Pen extends defineKind(Thing, { kind: "Pen", properties: { colour: text().optional() } }) {}
export class Cup extends defineKind(Thing, { kind: "Cup", properties: { size: int32().optional() } }) {}

const classes: readonly EntityClass[] = [Note, Claim, Ticket, Pen, Cup];

/** A store of one test: what was sent to it, and what it holds. */
export interface Store {
  /** What contexts use: it records requests, and fails as `plan` says. */
  readonly storage: TableStorage;
  /** The store itself. */
  readonly inner: TableStorage;
  /** The operations of every write so far, request by request. */
  readonly sent: (readonly WriteOperation[])[];
  /** Reads so far. */
  readonly reads: string[];
  /** What goes wrong from now on; nothing when undefined. */
  plan: FaultPlan | undefined;
  /** Forgets what was sent and read. */
  reset(): void;
}

/** Opens a store for one test. */
export type OpenStore = () => Promise<Store>;

let opened = 0;

/** Wraps a storage, which may be shared, for one test: its tables get a prefix of their own. */
export async function openStore(target: string, declared = classes): Promise<Store> {
  const inner = await openStorage(target, { tablePrefix: `t${process.pid}n${opened++}` });
  await createTables(inner, declared);
  const store: Store = {
    inner,
    sent: [],
    reads: [],
    plan: undefined,
    storage: withFaults(inner, (request) => {
      if (request.operations.length > 0)
        store.sent.push(structuredClone(request.operations) as WriteOperation[]);
      else store.reads.push(request.type);
      return store.plan?.(request);
    }),
    reset() {
      store.sent.length = 0;
      store.reads.length = 0;
    },
  };
  return store;
}

/** A context that retries at once. */
export const contextOf = (
  { storage }: Store,
  options: ConstructorParameters<typeof TableContext>[1] = {},
): TableContext => new TableContext(storage, { retry: fixed(3, 0), ...options });

/** Opens a store with notes `1` to `count` in book `b`, and nothing sent yet. */
export async function seeded(open: OpenStore, count = 1, more: object = {}): Promise<Store> {
  const store = await open();
  for (let n = 1; n <= count; n++)
    await store.inner.write("Notes", {
      type: "insert",
      entity: { PartitionKey: "b", RowKey: String(n), title: `note ${n}`, pages: n, ...more },
    });
  return store;
}

export const keyOf = (id: number | string = 1, book = "b"): { book: string; id: string } => ({
  book,
  id: String(id),
});

export const row = async (
  { inner }: Store,
  id: number | string = 1,
  table = "Notes",
): Promise<StoredEntity | undefined> => inner.get(table, { partitionKey: "b", rowKey: String(id) });

/** A row's own properties. */
export async function valuesIn(
  store: Store,
  id: number | string = 1,
  table = "Notes",
): Promise<object | undefined> {
  const found = await row(store, id, table);
  if (found === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(found).filter(
      ([name]) => !/^(PartitionKey|RowKey|Timestamp|odata\..*|.*@odata\.type)$/.test(name),
    ),
  );
}

/** Somebody else changes a row; returns its new ETag. */
export async function changedBy(
  store: Store,
  properties: object,
  id: number | string = 1,
  table = "Notes",
): Promise<string> {
  const entity = { PartitionKey: "b", RowKey: String(id), ...properties };
  const { etag } = await store.inner.write(table, { type: "upsert-merge", entity });
  return etag as string;
}

export const removedBy = async (
  { inner }: Store,
  id: number | string = 1,
  table = "Notes",
): Promise<unknown> =>
  inner.write(table, { type: "delete", key: { partitionKey: "b", rowKey: String(id) }, etag: "*" });

export async function read(context: TableContext, id: number | string = 1): Promise<Note> {
  return (await context.find(Note, keyOf(id))) as Note;
}

/** A store with one note, and a context that tracks it. */
export async function seededNote(
  open: OpenStore,
  options?: ConstructorParameters<typeof TableContext>[1],
): Promise<{ readonly store: Store; readonly context: TableContext; readonly entity: Note }> {
  const store = await seeded(open);
  const context = contextOf(store, options);
  return { store, context, entity: await read(context) };
}

export const failure = async (promise: Promise<unknown>): Promise<SaveError> =>
  promise.then(
    () => expect.unreachable("expected a rejection"),
    (error: unknown) => error as SaveError,
  );

/** The code of the error a call throws. */
export function codeOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    return (error as ConflictError).code;
  }
  return undefined;
}

/** What a save says: each outcome, with the code of its error. */
export async function outcomesOf(save: Promise<readonly { outcome: string }[]>): Promise<string[]> {
  const results = await save.catch((error: unknown) => (error as SaveError).results ?? Promise.reject(error));
  return results.map((result) => {
    const { outcome, error } = result as { outcome: string; error?: ConflictError };
    return error === undefined ? outcome : `${outcome} ${error.code}`;
  });
}

export const open = (): Promise<Store> => openStore("memory:");

export const once = { retry: { attempts: 1, delayMs: 0 } };

export const land = async ({ storage }: Store): Promise<void> => (storage as FaultyStorage).settle();

/** One save whose request times out, to take effect when it lands. */
export async function saveLate(store: Store, context: TableContext): Promise<void> {
  const plan = writeFaults("late");
  // Reading back must not let it land before the test wants it to.
  store.plan = (request) => (request.operations.length > 0 ? plan(request) : "refused");
  expect(await outcomesOf(context.saveChanges())).toContainEqual(expect.stringMatching(/^unknown/));
  store.plan = undefined;
}

/** One save whose request is stored while nothing of it is learnt. */
export async function saveUnanswered(store: Store, context: TableContext): Promise<void> {
  store.plan = ({ operations }) => (operations.length > 0 ? "timeout-after" : "refused");
  await failure(context.saveChanges());
  store.plan = undefined;
}

/** What fails every read, so that nothing of a write can be found out. */
export const blind =
  (fault: Fault): FaultPlan =>
  ({ operations }) =>
    operations.length > 0 ? fault : "refused";

/** One save whose requests are held back: nobody hears of them before they `arrive`. */
export async function saveHeld(store: Store, context: TableContext, options?: SaveOptions): Promise<void> {
  store.plan = blind("timeout-before");
  await failure(context.saveChanges(options));
  store.plan = undefined;
}

/** A request that was held back arrives now. */
export async function arrive({ inner, sent }: Store, table: string, index = 0): Promise<void> {
  const operations = sent[index] ?? [];
  const [only] = operations;
  const work = operations.length === 1 && only ? inner.write(table, only) : inner.transact(table, operations);
  await work.catch(() => undefined);
}

/** Without markers, and with them. */
export const proofs = [
  [Claim, "Claims"],
  [Ticket, "Tickets"],
] as const;

interface Fresh {
  readonly store: Store;
  readonly context: TableContext;
  readonly clock: VirtualClock;
}

/** A store, and a context that sends each request once. */
export async function fresh(options: ConstructorParameters<typeof TableContext>[1] = {}): Promise<Fresh> {
  const [store, clock] = [await open(), virtualClock()];
  return { store, clock, context: contextOf(store, { ...once, clock, ...options }) };
}

/** The same with a row that is stored with these properties, and found by the context. */
export async function tracked<Entity extends object>(
  entityClass: EntityClass<Entity> & { readonly name: string },
  properties: object,
  options: ConstructorParameters<typeof TableContext>[1] = {},
): Promise<Fresh & { readonly found: Entity }> {
  const made = await fresh(options);
  await changedBy(made.store, properties, 1, `${entityClass.name}s`);
  return { ...made, found: (await made.context.find(entityClass, keyOf() as never)) as Entity };
}
