import {
  ConflictError,
  defineEntity,
  int32,
  SaveError,
  TableContext,
  type TableStorage,
  text,
} from "@partita/core";
import type { RetryPolicy } from "@partita/core/rest";
import type { Insert } from "./load.ts";

class Product extends defineEntity({
  table: "Products",
  partitionKey: { shop: text() },
  rowKey: { sku: text() },
  properties: { price: int32() },
}) {}

/** Inserts products, loses a conflict and reads pages with Partita's client. */
export async function usePartita(storage: TableStorage, shop: string): Promise<void> {
  await using first = new TableContext(storage);
  await using second = new TableContext(storage);
  const mine = first.create(Product, { shop, sku: "cup 10", price: 4 });
  for (let n = 11; n < 60; n++) first.create(Product, { shop, sku: `cup ${n}`, price: 4 });
  console.log(`  inserted: ${(await first.saveChanges()).length}`);

  const theirs = await second.find(Product, { shop, sku: "cup 10" });
  mine.price = 5;
  if (theirs !== undefined) theirs.price = 6;
  console.log(`  two changes of the same version: ${await outcome(first)}, ${await outcome(second)}`);

  await using reader = new TableContext(storage);
  const sizes: number[] = [];
  for await (const page of reader.query(Product).where({ shop }).pages({ size: 20 }))
    sizes.push(page.entities.length);
  console.log(`  pages: ${sizes.join(", ")}`);
}

async function outcome(context: TableContext): Promise<string> {
  try {
    await context.saveChanges();
    return "saved";
  } catch (error) {
    if (!(error instanceof SaveError && error.cause instanceof ConflictError)) throw error;
    return `conflict (${error.cause.reason})`;
  }
}

/** Inserts with Partita's client. */
export const insertWithPartita =
  (storage: TableStorage, shop: string, retry?: RetryPolicy): Insert =>
  async (sku) => {
    await using context = new TableContext(storage, { retry });
    context.create(Product, { shop, sku, price: 4 });
    try {
      await context.saveChanges();
    } finally {
      // The caller counts failures, and does not save this product again.
      context.clear({ discard: true });
    }
  };

export async function countProducts(storage: TableStorage, shop: string): Promise<number> {
  await using context = new TableContext(storage);
  return await context.query(Product).where({ shop }).count();
}
