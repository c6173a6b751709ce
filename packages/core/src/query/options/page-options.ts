import { abortSignal, accepted, required, wholeNumber } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { repeatedToken, TokenWatch } from "../../storage/follow-pages.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { ReadOptions } from "./read-options.ts";

declare const pageTokenBrand: unique symbol;

/** Where the next page of a query begins: opaque, safe in a URL, good for the same query only. */
export type PageToken = string & { readonly [pageTokenBrand]: true };

/** One page of a query, for lists that people leaf through. */
export interface Page<Entity> {
  readonly entities: readonly Entity[];
  /** Where the next page begins; absent at the end. */
  readonly next?: PageToken;
}

/** Which page to read. */
export interface PageOptions extends ReadOptions {
  /** Entities at most: 1 or more. */
  readonly size: number;
  /** The `next` of the page before, as it came in a URL; without one, the first page. */
  readonly after?: string | null | undefined;
}

/** @throws OptionError `query.option` */
export const checkPageOptions: CheckOptions = defineOptions<PageOptions>(
  "page(options)",
  {
    size: required(wholeNumber(1)),
    signal: abortSignal,
    retry: aRetryPolicy,
    // A text that is no token is refused where it is read.
    after: accepted("the next of the page before", () => true),
  },
  "query.option",
);

/** Every page, one after the other. @throws StorageError when tokens repeat, so that pages would never end */
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
