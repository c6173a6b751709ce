import { abortSignal } from "../../values/options/checks.ts";
import { type CheckOptions, defineOptions } from "../../values/options/define-options.ts";
import { aRetryPolicy } from "../../storage/retry-policy.ts";
import type { RequestOptions } from "../../storage/table-storage.ts";

/** How one call of a query sends its requests, in place of what `signal()` and `retry()` say. */
export interface ReadOptions extends Pick<RequestOptions, "signal" | "retry"> {}

/** @throws OptionError `context.option`, `context.retry` */
export const checkReadOptions: CheckOptions = defineOptions<ReadOptions>("toArray(options)", {
  signal: abortSignal,
  retry: aRetryPolicy,
});
