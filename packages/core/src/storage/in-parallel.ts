/** Maximum number of rows that are read concurrently by their keys. */
export const pointReads = 16;

/**
 * Runs work for every item with limited concurrency, and returns the results in the items' order. Stops at the first
 * failure.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [i, item] of queue) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
