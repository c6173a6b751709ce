import type { EntityKey } from "../../../../src/values/edm/stored-entity.ts";
import { StorageError, type TableStorage } from "../../../../src/index.ts";
import { forwardStorage } from "../../../../src/storage/forward-storage.ts";
import {
  keyOfOperation,
  type WriteOperation,
  type WriteResult,
} from "../../../../src/storage/write-operation.ts";

/** What happens to a request. `held`: it arrives later, or never. */
export type Fate = "answered" | "applied" | "held" | "refused";

/** One write request, and whether the storage applied it. */
export interface Sent {
  readonly operations: readonly WriteOperation[];
  isApplied: boolean;
}

/** The network between a context and its storage: it loses responses, delays requests, and remembers what was applied. */
export class Wire {
  readonly storage: TableStorage;
  readonly sent: Sent[] = [];
  onApplied: (request: Sent) => void = () => undefined;
  /** Requests that may still arrive. */
  held: Sent[] = [];
  readonly #inner: TableStorage;
  readonly #table: string;

  constructor(inner: TableStorage, table: string, fateOf: (kind: "read" | "write") => Fate) {
    this.#inner = inner;
    this.#table = table;
    const read = <Result>(request: () => Promise<Result>): Promise<Result> =>
      fateOf("read") === "answered" ? request() : Promise.reject(unreachable());
    this.storage = forwardStorage(inner, {
      get: (...args) => read(() => inner.get(...args)),
      query: (...args) => read(() => inner.query(...args)),
      write: async (_, operation) => (await this.#send([operation], fateOf("write")))[0] ?? {},
      transact: (_, operations) => this.#send(operations, fateOf("write")),
    });
  }

  async #send(operations: readonly WriteOperation[], outcome: Fate): Promise<readonly WriteResult[]> {
    if (outcome === "refused") throw unreachable();
    const request: Sent = { operations, isApplied: false };
    this.sent.push(request);
    if (outcome === "held") this.held.push(request);
    else {
      const results = await this.#apply(request);
      if (outcome === "answered") return results;
    }
    throw new StorageError("storage.timeout", "No response.", { applied: "maybe" });
  }

  async #apply(request: Sent): Promise<readonly WriteResult[]> {
    const { operations } = request;
    const [only, ...others] = operations as readonly [WriteOperation, ...WriteOperation[]];
    const results =
      others.length === 0
        ? [await this.#inner.write(this.#table, only)]
        : await this.#inner.transact(this.#table, [...operations]);
    request.isApplied = true;
    this.onApplied(request);
    return results;
  }

  /** A request that was held arrives now. */
  async arrive(request: Sent): Promise<void> {
    this.held = this.held.filter((one) => one !== request);
    await this.#apply(request).catch(() => undefined);
  }
}

const unreachable = (): StorageError =>
  new StorageError("storage.unreachable", "No connection.", { applied: "no" });

export const isOfKey = (operation: WriteOperation, { rowKey }: EntityKey): boolean =>
  keyOfOperation(operation).rowKey === rowKey;
