import type { ArticleValues } from "../article.ts";

/** A library that keeps articles in a file, as its users would write it. */
export interface ArticleStore {
  readonly name: string;
  insert(values: readonly ArticleValues[]): unknown;
  /** Reads a shop's articles; how many there were. They are tracked if the library tracks anything. */
  read(shop: string): number | Promise<number>;
  /** Reads a shop's articles, sells one of each, and saves; how many were saved. */
  sell(shop: string): number | Promise<number>;
  close(): unknown;
}
