import { fc } from "@fast-check/vitest";

// A planted bug need not be shown by the smallest history.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
