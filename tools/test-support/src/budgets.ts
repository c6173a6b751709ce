import { openStorage, type TableStorage } from "@partita/core";
import { describe, expect, test } from "vitest";
import { printRequests, RequestCounter } from "./count-requests.ts";

/**
 * An operation and the requests that it sends, as "1 get, 2 query". If they depend on the number of rows, they are a function
 * of it.
 */
export type Budget<Place> = readonly [
  name: string,
  requests: string | ((rows: number) => string | Readonly<Record<string, number>>),
  operation: (place: Place) => Promise<unknown>,
];

/** Stores so many rows before each operation. */
export type OpenPlace<Place> = (counter: RequestCounter, rows: number) => Promise<Place>;

/** The pages of a query that returns so many rows. Source: learn.microsoft.com "Query timeout and pagination". */
export const pages = (rows: number): number => Math.ceil(rows / 1000);

/**
 * The requests that write so many rows of one partition, page by page, each row with so many operations. A transaction
 * of a single operation is a write.
 */
export function writesOf(rows: number, operations: number = 1): { transact: number; write: number } {
  const rowsOfEach = Math.floor(100 / operations);
  const counts = { transact: 0, write: 0 };
  for (let left = rows; left > 0; left -= 1000) {
    const page = Math.min(left, 1000);
    const isLastAlone = operations === 1 && page % rowsOfEach === 1;
    counts.transact += Math.ceil(page / rowsOfEach) - Number(isLastAlone);
    counts.write += Number(isLastAlone);
  }
  return counts;
}

/** Tests that each operation sends exactly these requests, over a small store and over a large one. */
export function describeBudgets<Place extends object>(
  sizes: readonly number[],
  thing: string,
  open: OpenPlace<Place>,
  budgets: readonly Budget<Place>[],
): void {
  describe.each(sizes)(`over %d ${thing}`, (rows) => {
    for (const [name, requests, operation] of budgets) {
      const own = typeof requests === "string" ? requests : requests(rows);
      const expected = typeof own === "string" ? own : printRequests(own);
      test(`to ${name} sends ${expected}`, async () => {
        const counter = new RequestCounter();
        const place = await open(counter, rows);
        await using _ = disposable(place);

        expect(await counter.during(() => operation(place))).toBe(expected);
      });
    }
  });
}

const disposable = (place: Partial<AsyncDisposable>): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => place[Symbol.asyncDispose]?.(),
});

/** A counted storage in memory. */
export const countedMemory = async (counter: RequestCounter, label?: string): Promise<TableStorage> =>
  counter.storage(await openStorage("memory:"), label);
