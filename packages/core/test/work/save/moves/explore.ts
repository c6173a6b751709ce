// Explores all histories of programs over one small store: at each request, any program may be next, its response may be
// lost, and all programs may be killed. The programs are real code; a history is replayed from its beginning, and two
// histories that left the store and all programs in the same state count as one.

import { StorageError, type EntityKey } from "@partita/core";
import type { RequestOptions, StoredEntity, TableStorage, WriteOperation } from "@partita/core/storage";

/** The storage that a program of a scenario is given. */
export type Port = Pick<TableStorage, "get" | "write" | "transact">;

/** One program. What it returns is checked when it ends. */
export interface Actor {
  readonly name: string;
  readonly run: (port: Port, log: Log) => Promise<unknown>;
  /** Whether one of its writes may lose its response. */
  readonly mayLose?: boolean;
  /** Whether what it returns is compared with the contents since it began. */
  readonly isReader?: boolean;
}

/** What programs have committed. */
export interface Log {
  /** Called by a program right before the write that commits a change: what is stored once that succeeds. */
  intend(change: (content: Content) => Content): void;
  /** How many responses the program has had. */
  mark(): number;
  /** Since then, the program remembers only the responses to writes that were applied. */
  forget(mark: number): void;
}

/** The content of the entity as its programs committed it; undefined once it is deleted. */
export type Content = Readonly<Record<string, unknown>> | undefined;

export interface Scenario {
  readonly rows: readonly (StoredEntity & { readonly table: string })[];
  readonly actors: readonly Actor[];
  readonly content: Content;
  /** Checks a state in which no request is on its way. @throws if it is wrong */
  readonly check: (store: Store, content: Content) => void;
  /** Goes on after all programs were killed, and checks the end. */
  readonly recover: (port: Port) => Promise<void>;
  readonly checkEnd: (store: Store, content: Content) => void;
  /** Checks what a program that only reads has returned, against the contents while it ran. */
  readonly checkRead?: (read: unknown, contents: readonly Content[]) => void;
}

interface Request {
  readonly isWrite: boolean;
  readonly send: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows by table and key. Versions count for each key, also over deletes, so that the order of other writes does not show. */
export class Store {
  readonly rows = new Map<string, StoredEntity>();
  readonly #versions = new Map<string, number>();

  put(table: string, row: StoredEntity): string {
    const id = idOf(table, { partitionKey: row.PartitionKey, rowKey: row.RowKey });
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    const etag = `W/"${id}:${version}"`;
    const { ["odata.etag"]: _old, ...rest } = row;
    this.rows.set(id, { ...rest, "odata.etag": etag } as StoredEntity);
    return etag;
  }

  get(table: string, key: EntityKey): StoredEntity | undefined {
    return this.rows.get(idOf(table, key));
  }

  /** Applies all operations or none. */
  transact(table: string, operations: readonly WriteOperation[]): { etag?: string }[] {
    for (const [i, operation] of operations.entries()) this.#check(table, operation, i);
    return operations.map((operation) => {
      if (operation.type === "delete") {
        this.rows.delete(idOf(table, operation.key));
        return {};
      }
      const { entity } = operation;
      const before = this.get(table, keyOf(entity));
      const isMerge = operation.type === "merge" || operation.type === "upsert-merge";
      return { etag: this.put(table, isMerge ? { ...before, ...entity } : entity) };
    });
  }

  #check(table: string, operation: WriteOperation, index: number): void {
    const key = operation.type === "delete" ? operation.key : keyOf(operation.entity);
    const stored = this.get(table, key);
    if (operation.type === "insert") {
      if (stored !== undefined) throw StorageError.ofService("EntityAlreadyExists", undefined, index);
    } else if ("etag" in operation) {
      if (stored === undefined) throw StorageError.ofService("ResourceNotFound", undefined, index);
      if (operation.etag !== "*" && operation.etag !== stored["odata.etag"])
        throw StorageError.ofService("UpdateConditionNotSatisfied", undefined, index);
    }
  }

  print(): string {
    return JSON.stringify([...this.rows].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const keyOf = ({ PartitionKey, RowKey }: StoredEntity): EntityKey => ({
  partitionKey: PartitionKey,
  rowKey: RowKey,
});

const idOf = (table: string, { partitionKey, rowKey }: EntityKey): string =>
  `${table}/${partitionKey}/${rowKey}`;

/** A storage over a store without any delay. */
const portOf = (store: Store): Port => ({
  get: (table, key) => Promise.resolve(store.get(table, key)),
  async write(table, operation) {
    return store.transact(table, [operation])[0] as { etag?: string };
  },
  async transact(table, operations) {
    return store.transact(table, operations);
  },
});

const lostResponse = { text: "lost", isApplied: false };

type Choice = readonly [actor: number, isLost: boolean];

/** One history on its way. */
class History {
  readonly store = new Store();
  content: Content;
  readonly #scenario: Scenario;
  readonly #pending: (Request | undefined)[] = [];
  /** The responses that each program knows. */
  readonly #told: { readonly text: string; readonly isApplied: boolean }[][] = [];
  readonly #ended: boolean[] = [];
  readonly #lost: boolean[] = [];
  /** The contents since each program began. */
  readonly #seen: Content[][] = [];
  #idle: (() => void)[] = [];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.content = scenario.content;
    for (const { table, ...row } of scenario.rows) this.store.put(table, row as StoredEntity);
  }

  async start(): Promise<void> {
    for (const [i, { run }] of this.#scenario.actors.entries()) {
      this.#told[i] = [];
      this.#ended[i] = this.#lost[i] = false;
      this.#seen[i] = [this.content];
      await this.#untilIdle(i, () => {
        void run(this.#portFor(i), this.#logFor(i)).then(
          (read) => this.#end(i, read),
          (error: unknown) => this.#end(i, undefined, error),
        );
      });
    }
  }

  choices(): Choice[] {
    return this.#pending.flatMap((request, i): Choice[] => {
      if (request === undefined || this.#ended[i] === true) return [];
      const mayLose = this.#scenario.actors[i]?.mayLose === true && request.isWrite && !this.#lost[i];
      return mayLose
        ? [
            [i, false],
            [i, true],
          ]
        : [[i, false]];
    });
  }

  /** Sends the waiting request of a program, and lets the program go on to its next one. */
  async step([i, isLost]: Choice): Promise<void> {
    const request = this.#pending[i] as Request;
    this.#pending[i] = undefined;
    const told = this.#told[i] as { text: string; isApplied: boolean }[];
    let respond: () => void;
    try {
      const value = structuredClone(request.send());
      told.push(
        isLost ? lostResponse : { text: JSON.stringify(value) ?? "none", isApplied: request.isWrite },
      );
      respond = isLost ? () => request.reject(lost()) : () => request.resolve(value);
    } catch (error) {
      told.push(
        isLost ? lostResponse : { text: (error as StorageError).serviceCode ?? "", isApplied: false },
      );
      respond = () => request.reject(isLost ? lost() : error);
    }
    if (isLost) this.#lost[i] = true;
    await this.#untilIdle(i, respond);
  }

  failure: unknown;

  /** The state as text: that of programs that do the same has no order. */
  print(): string {
    const actors = this.#scenario.actors.map(({ name, isReader = false }, i) =>
      JSON.stringify([name, this.#told[i], this.#lost[i], this.#ended[i], isReader && this.#seen[i]]),
    );
    return JSON.stringify([this.store.print(), actors.toSorted(), this.content ?? null]);
  }

  #end(i: number, read: unknown, error?: unknown): void {
    this.#ended[i] = true;
    if (error !== undefined) this.failure ??= error;
    else if (read !== undefined)
      try {
        this.#scenario.checkRead?.(read, this.#seen[i] as Content[]);
      } catch (thrown) {
        this.failure ??= thrown;
      }
    this.#idle[i]?.();
  }

  #untilIdle(i: number, go: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#idle[i] = resolve;
      go();
    });
  }

  #logFor(i: number): Log {
    return {
      intend: (change) => {
        this.#intended[i] = change;
      },
      mark: () => this.#told[i]?.length ?? 0,
      forget: (mark) => {
        this.#told[i] = (this.#told[i] ?? []).filter(({ isApplied }, at) => at < mark || isApplied);
      },
    };
  }

  readonly #intended: (((content: Content) => Content) | undefined)[] = [];

  #portFor(i: number): Port {
    const ask = <Result>(isWrite: boolean, send: () => unknown): Promise<Result> =>
      new Promise<Result>((resolve, reject) => {
        const withIntent = (): unknown => {
          const change = this.#intended[i];
          this.#intended[i] = undefined;
          const sent = send();
          if (change !== undefined) {
            this.content = change(this.content);
            for (const seen of this.#seen) seen.push(this.content);
          }
          return sent;
        };
        this.#pending[i] = { isWrite, send: withIntent, resolve: resolve as never, reject };
        this.#idle[i]?.();
      });
    const { store } = this;
    return {
      get: (table: string, key: EntityKey, _options?: RequestOptions) =>
        ask(false, () => store.get(table, key)),
      write: (table, operation) => ask(true, () => store.transact(table, [operation])[0]),
      transact: (table, operations) => ask(true, () => store.transact(table, operations)),
    };
  }
}

const lost = (): StorageError =>
  new StorageError("storage.no-response", "The response was lost.", { applied: "maybe" });

/** Explores a scenario. @returns how many states it has */
export async function explore(scenario: Scenario): Promise<number> {
  const known = new Set<string>();
  const recovered = new Set<string>();
  const open: Choice[][] = [[]];
  for (let choices = open.pop(); choices !== undefined; choices = open.pop()) {
    const history = new History(scenario);
    await history.start();
    for (const choice of choices) await history.step(choice);
    const state = history.print();
    if (known.has(state)) continue;
    known.add(state);
    try {
      if (history.failure !== undefined) throw history.failure as Error;
      scenario.check(history.store, history.content);
      for (const choice of history.choices()) open.push([...choices, choice]);
      const end = JSON.stringify([history.store.print(), history.content ?? null]);
      if (recovered.has(end)) continue;
      recovered.add(end);
      await scenario.recover(portOf(history.store));
      scenario.checkEnd(history.store, history.content);
    } catch (error) {
      const names = choices.map(([i, isLost]) => scenario.actors[i]?.name + (isLost ? " (lost)" : ""));
      throw new Error(`After ${names.join(", ")}: ${(error as Error).message}\n${history.store.print()}`, {
        cause: error,
      });
    }
  }
  return known.size;
}
