import { abortSignal } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";

/** How one call of a query sends its requests: a signal that cancels them, and how they are retried. */
export interface ReadOptions extends Pick<RequestOptions, "signal" | "retry"> {}

/** @throws OptionError `query.option` */
export const checkReadOptions: CheckOptions = defineOptions<ReadOptions>(
  "toArray(options)",
  {
    signal: abortSignal,
    retry: aRetryPolicy,
  },
  "query.option",
);
