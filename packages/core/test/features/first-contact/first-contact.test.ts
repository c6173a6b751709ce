import { isOverPostgres } from "@partita/test-support/postgres";
import { describe, expect, test } from "vitest";
import { type Mistake, type Outcome, run } from "./mistake.ts";
import { connecting } from "./mistakes/connecting.ts";
import { creating } from "./mistakes/creating.ts";
import { declaring } from "./mistakes/declaring.ts";
import { querying } from "./mistakes/querying.ts";
import { saving } from "./mistakes/saving.ts";

// The mistakes of beginners who come from TypeORM, Prisma, Mongoose or an SDK, in JavaScript, where no compiler helps.
// Those of decorators are in their package, and those that the compiler finds in the corpus of the toolchains.

const themes = { connecting, declaring, creating, querying, saving };
const all: readonly Mistake[] = Object.values(themes).flat();
const count = (outcome: Outcome): number => all.filter(({ gives }) => gives === outcome).length;

test("of more than 100 mistakes, at most two are silent, and most name the remedy", () => {
  expect(all.length).toBeGreaterThan(100);
  expect(new Set(all.map(({ title, program }) => title + program)).size).toBe(all.length);
  expect(count("silent")).toBeLessThanOrEqual(2);
  expect(count("great")).toBeGreaterThan(100);
});

describe.skipIf(isOverPostgres).each(Object.entries(themes))("%s", (_theme, mistakes) => {
  test.each(mistakes.map((mistake) => [mistake.title, mistake] as const))("%s", async (_title, mistake) => {
    const outcome: unknown = await run(mistake).then(
      () => "no error",
      (error: unknown) => error,
    );

    const { code, message } = outcome as { readonly code?: string; readonly message?: string };
    expect(code).toBe(mistake.code);
    expect(message ?? outcome).toMatch(mistake.says ?? /^no error$/);
  });
});
