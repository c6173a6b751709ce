import type { ArticleValues } from "../article.ts";

/** A library that stores articles in a file, used as its users would. */
export interface ArticleStore {
  readonly name: string;
  insert(values: readonly ArticleValues[]): unknown;
  /** Reads a shop's articles, tracked if the library tracks anything. Returns their number. */
  read(shop: string): number | Promise<number>;
  /** Reads a shop's articles, sells one of each, and saves. Returns the number saved. */
  sell(shop: string): number | Promise<number>;
  close(): unknown;
}
