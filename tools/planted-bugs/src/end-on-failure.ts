import { fc } from "@fast-check/vitest";
import { afterEach, beforeEach } from "vitest";

// A planted bug need not be shown by the smallest history.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

// Nor need it be shown twice.
let hasFailed = false;
beforeEach(({ skip }) => skip(hasFailed));
afterEach(({ task }) => {
  hasFailed ||= task.result?.state === "fail";
});
