// `query-run.ts` and `read-families.ts` call `sorted` for queries with `sortBy`. It reads all that a query finds and gives
// it in order. With `take`, a binary heap holds the first ones of what was read so far, with the last of them on top.

import { inOrder } from "../../values/edm/edm-forms.ts";
import { QueryError } from "../../values/errors/query-error.ts";
import { splitKey } from "../../values/keys/key-template.ts";
import { spanOf } from "../../values/keys/time-order.ts";
import type { CheckedRow } from "../../model/codec/choose-kind.ts";
import { currentRow } from "../../model/codec/current-row.ts";
import type { EntityModel, KeyProperty } from "../../model/declaration/entity-model.ts";
import { type Comparable, maxSorted, type Sort } from "../build/sort.ts";
import { valueOf } from "./evaluate-predicate.ts";

/** An item with its position in the order. */
interface Placed<Item> extends Pick<CheckedRow, "row"> {
  readonly item: Item;
  /** Undefined for an absent value, and for NaN: they come last in both directions. */
  readonly value: Comparable | undefined;
}

/**
 * The items of all pages in order, as one list. Items with equal values come in key order.
 *
 * @param rowOf - the row that an item is sorted by
 * @throws QueryError `query.sort-too-many` for more than 10,000 items without `take`
 */
export async function* sorted<Item>(
  pages: AsyncIterable<readonly Item[]>,
  sort: Sort,
  take: number | undefined,
  rowOf: (item: Item) => CheckedRow,
): AsyncGenerator<readonly Item[]> {
  if (take === 0) return;
  const { property } = sort;
  const first = new FirstItems<Placed<Item>>(take ?? maxSorted, (a, b) => compare(a, b, sort));
  for await (const page of pages)
    for (const item of page) {
      const checked = rowOf(item);
      const hasLeft = first.add({ item, row: checked.row, value: valueIn(checked, sort) });
      if (hasLeft && take === undefined) throw tooManyToSort(checked.model, property);
    }
  yield first.inOrder().map(({ item }) => item);
}

function compare(
  a: Placed<unknown>,
  b: Placed<unknown>,
  { compare: compareValues, direction }: Sort,
): number {
  const absent = inOrder(a.value === undefined, b.value === undefined);
  if (absent !== 0) return absent;
  const order = a.value === undefined ? 0 : compareValues(a.value, b.value as Comparable);
  const byValue = direction === "asc" ? order : -order;
  return byValue || inOrder(a.row.PartitionKey, b.row.PartitionKey) || inOrder(a.row.RowKey, b.row.RowKey);
}

function valueIn({ model, row, unreadable }: CheckedRow, sort: Sort): Comparable | undefined {
  if (unreadable !== undefined) return undefined;
  const part = model.keyProperties.find(({ name }) => name === sort.property);
  if (part !== undefined) return valueInKey(model, part, row[part.key]);
  const property = model.properties.find(({ name }) => name === sort.property);
  const found = property && valueOf(property, currentRow(model, row));
  // A value of another type is found to be unreadable when the entity is made.
  if (found === undefined || found.edm !== property?.serializer.edm) return undefined;
  return sort.compare(found.value, found.value) === 0 ? found.value : undefined;
}

function valueInKey(model: EntityModel, part: KeyProperty, key: string): Comparable | undefined {
  const template = part.key === "PartitionKey" ? model.partitionKey : model.rowKey;
  const text = splitKey(template, key)?.[part.index];
  const value: unknown = text === undefined ? undefined : template.parts[part.index]?.format.decode(text);
  return spanOf(value)?.[0] ?? (value as Comparable | undefined);
}

/** The first items by an order, of any number that are added. */
class FirstItems<Item> {
  /** A heap: no item precedes one of the two below it, at twice its position and one more. */
  readonly #heap: Item[] = [];
  readonly #most: number;
  readonly #compare: (a: Item, b: Item) => number;

  constructor(most: number, compare: (a: Item, b: Item) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** Returns whether an item had to be left out, this one or an earlier one. */
  add(item: Item): boolean {
    const isFull = this.#heap.length === this.#most;
    if (!isFull) this.#rise(item);
    else if (this.#compare(item, this.#heap[0] as Item) < 0) this.#sink(item);
    return isFull;
  }

  inOrder(): Item[] {
    return this.#heap.toSorted(this.#compare);
  }

  /** Adds an item at the end, and moves it up. */
  #rise(item: Item): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#compare(item, heap[above] as Item) <= 0) break;
      heap[at] = heap[above] as Item;
      at = above;
    }
    heap[at] = item;
  }

  /** Replaces the item on top, and moves the new one down. */
  #sink(item: Item): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && this.#compare(heap[below + 1] as Item, heap[below] as Item) > 0) below++;
      if (this.#compare(item, heap[below] as Item) >= 0) break;
      heap[at] = heap[below] as Item;
      at = below;
    }
    heap[at] = item;
  }
}

const tooManyToSort = ({ name }: EntityModel, property: string): QueryError =>
  new QueryError(
    "query.sort-too-many",
    `sortBy("${property}") over ${name} found more than ${maxSorted} entities, which it would hold in memory. Limit them with take(), or narrow the query.`,
    { entity: name, property, limit: maxSorted },
  );
