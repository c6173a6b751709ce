import { expect, test } from "vitest";

// This folder runs twice: as it is, and with these flags.
const isHardened = process.execArgv.includes("--disable-proto=throw");

test.runIf(isHardened)("the run that says it is hardened is", () => {
  // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- it is to be refused
  expect(() => new Function("return 1")).toThrow(EvalError);
  expect(() => Reflect.get({}, "__proto__") as unknown).toThrow(/__proto__/);
});
