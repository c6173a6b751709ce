import { test } from "vitest";
import { aFunction, oneOf, trueOrFalse } from "../../../src/values/options/checks.ts";
import { defineOptions } from "../../../src/values/options/define-options.ts";

interface Settings {
  readonly mode?: "fast" | "safe" | undefined;
  readonly isQuiet?: boolean | undefined;
  readonly onEnd?: ((rows: number) => void) | undefined;
}

test("an option without a check, a check without an option and a check of another type do not compile", () => {
  defineOptions<Settings>("run(options)", {
    mode: oneOf("fast", "safe"),
    isQuiet: trueOrFalse,
    onEnd: aFunction,
  });

  // @ts-expect-error an option of the interface has no check
  defineOptions<Settings>("run(options)", { mode: oneOf("fast", "safe"), isQuiet: trueOrFalse });

  defineOptions<Settings>("run(options)", {
    mode: oneOf("fast", "safe"),
    isQuiet: trueOrFalse,
    onEnd: aFunction,
    // @ts-expect-error a check for an option that the interface does not have
    rate: trueOrFalse,
  });

  // @ts-expect-error a check for another type than the option's
  defineOptions<Settings>("run(options)", { mode: trueOrFalse, isQuiet: trueOrFalse, onEnd: aFunction });

  // @ts-expect-error a choice that the option does not have
  defineOptions<Settings>("run(options)", { mode: oneOf("slow"), isQuiet: trueOrFalse, onEnd: aFunction });
});
