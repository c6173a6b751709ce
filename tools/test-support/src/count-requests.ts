import type { TableStorage } from "@partita/core";
import { countedStorage } from "./death.ts";

/** A storage, and the requests that were sent to it. */
export interface CountedRequests {
  readonly storage: TableStorage;
  /** The number of requests that a piece of work sends. */
  during(work: () => Promise<unknown>): Promise<number>;
}

/** Counts the requests to a storage: each page of a query, and each transaction as one. */
export function countRequests(inner: TableStorage): CountedRequests {
  const counter = new RequestCounter();
  return {
    storage: counter.storage(inner),
    async during(work) {
      const before = counter.total;
      await work();
      return counter.total - before;
    },
  };
}

/** Counts requests by kind, over one storage or several. */
export class RequestCounter {
  readonly #counts = new Map<string, number>();

  /** A storage with counted requests. The kinds of its requests begin with `label`, as in "source query". */
  storage(inner: TableStorage, label: string = ""): TableStorage {
    return countedStorage(inner, (request, kind) => {
      this.add(`${label} ${kind}`.trim());
      return request();
    });
  }

  add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The requests of a piece of work, as "1 get, 2 query"; "none" if it sends none. */
  async during(work: () => Promise<unknown>): Promise<string> {
    this.#counts.clear();
    await work();
    return printRequests(Object.fromEntries(this.#counts));
  }
}

/** Numbers of requests by kind as text, such as "1 get, 2 query"; "none" without any. */
export function printRequests(counts: Readonly<Record<string, number>>): string {
  const sent = Object.entries(counts).filter(([, count]) => count > 0);
  const sorted = sent.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}
