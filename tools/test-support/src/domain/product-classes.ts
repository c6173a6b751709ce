import { defineEntity, int32, text } from "@partita/core";
import { escaped, padded } from "@partita/core/keys";
import { decimal } from "@partita/core/models";

class Product extends defineEntity({
  table: "Products",
  partitionKey: { tenant: escaped },
  rowKey: { sku: escaped },
  properties: {
    total: int32().optional(),
    price: decimal({ scale: 2 }).optional(),
    label: text().optional(),
  },
}) {}

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { tenant: escaped },
  rowKey: { no: padded(6) },
  properties: { body: text().optional() },
}) {}

/**
 * The classes of the cases of sorted and filtered queries, and of reads by many keys, in one of the three
 * forms.
 */
export interface ProductClasses {
  readonly Product: typeof Product;
  readonly Entry: typeof Entry;
}

export type ProductEntity = Product;

/** The form of `defineEntity`. */
export const definedProducts: ProductClasses = { Product, Entry };
