import { abortSignal, accepted, required, wholeNumber } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { repeatedToken, TokenWatch } from "../../storage/follow-pages.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { ReadOptions } from "./read-options.ts";

declare const pageTokenBrand: unique symbol;

/** The start of the next page of a query: opaque, safe in a URL, valid for the same query only. */
export type PageToken = string & { readonly [pageTokenBrand]: true };

/** One page of a query, for lists with page navigation. */
export interface Page<Entity> {
  readonly entities: readonly Entity[];
  /** The start of the next page; absent on the last page. */
  readonly next?: PageToken;
}

/** The page to read. */
export interface PageOptions extends ReadOptions {
  /**
   * Maximum number of entities: 1 or more.
   *
   * ```ts
   * const { entities } = await context.query(Blog).where({ channel }).page({ size: 2 });
   * console.log(entities.length); // → 2
   * ```
   */
  readonly size: number;
  /**
   * The `next` of the previous page, as text from a URL; the first page when absent.
   *
   * ```ts
   * const blogs = context.query(Blog).where({ channel });
   * const { next } = await blogs.page({ size: 2 });
   * const { entities } = await blogs.page({ size: 2, after: next });
   * ```
   */
  readonly after?: string | null | undefined;
}

/** @throws OptionError `query.option` */
export const checkPageOptions: CheckOptions = defineOptions<PageOptions>(
  "page(options)",
  {
    size: required(wholeNumber(1)),
    signal: abortSignal,
    retry: aRetryPolicy,
    // A text that is not a token is refused when it is read.
    after: accepted("the next of the previous page", () => true),
  },
  "query.option",
);

/** Yields every page in turn. @throws StorageError if tokens repeat, since the pages would never end */
export async function* readPages<Entity>(
  read: (options: PageOptions) => Promise<Page<Entity>>,
  options: PageOptions,
  table: string,
): AsyncGenerator<Page<Entity>> {
  let { after } = options ?? {};
  const tokens = new TokenWatch();
  do {
    const page = await read({ ...options, after });
    if (page.next !== undefined && tokens.repeats(page.next)) throw repeatedToken(table);
    if (page.entities.length > 0) yield page;
    after = page.next;
  } while (after !== undefined);
}
