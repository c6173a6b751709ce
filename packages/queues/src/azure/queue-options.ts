import {
  accepted,
  type CheckOptions,
  connectionChecks,
  defineOptions,
  oneOf,
  refusedOption,
  restChecks,
} from "@partita/core/internal";
import type { ConnectionOptions } from "@partita/core/rest";
import type { RestOptions } from "@partita/core";

/** Settings of a queue service. */
export interface OpenQueuesOptions
  extends Pick<RestOptions, "credential" | "allowInsecure" | "timeouts" | "clock">, ConnectionOptions {
  /**
   * Encoding of texts in messages. `base64` (default) can hold every text up to 48 KiB of UTF-8; Azure
   * Functions write and expect it. `text` holds up to 64 KiB of plain text, without the characters that XML
   * cannot represent.
   */
  readonly messageEncoding?: "base64" | "text" | undefined;
  /** Protocol version, `x-ms-version`: 2017-07-29 or later. Default `2019-02-02`. */
  readonly protocolVersion?: string | undefined;
}

export const openQueuesCall = "openQueues(target, options)";

const code = "storage.option";

const checkEach = defineOptions<OpenQueuesOptions>(
  openQueuesCall,
  {
    credential: restChecks.credential,
    allowInsecure: restChecks.allowInsecure,
    timeouts: restChecks.timeouts,
    clock: restChecks.clock,
    ...connectionChecks,
    messageEncoding: oneOf("base64", "text"),
    protocolVersion: accepted(
      "a date such as 2019-02-02",
      (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value),
    ),
  },
  code,
);

/** The first version with messages that never expire. Source: learn.microsoft.com "Put Message". */
const oldestVersion = "2017-07-29";

/** @throws OptionError `storage.option` */
export const checkOpenQueues: CheckOptions = (options) => {
  checkEach(options);
  const { protocolVersion = oldestVersion } = (options ?? {}) as OpenQueuesOptions;
  if (protocolVersion < oldestVersion)
    throw refusedOption(code, openQueuesCall, "protocolVersion", `a version from ${oldestVersion} on`);
};
