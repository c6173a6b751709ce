import { fc } from "@fast-check/vitest";
import { afterEach, beforeEach } from "vitest";

// A planted bug does not need the smallest history.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

// Nor a second failure.
let hasFailed = false;
beforeEach(({ skip }) => skip(hasFailed));
afterEach(({ task }) => {
  hasFailed ||= task.result?.state === "fail";
});
