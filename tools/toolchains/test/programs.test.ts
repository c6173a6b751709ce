import { beforeAll, describe, expect, test } from "vitest";
import { programsOf, readCorpus } from "../src/programs/corpus.ts";
import { listOf, type Outcome, type Result, resultsOf } from "../src/programs/outcomes.ts";

// Wrong programs do not compile, and the first line of the error says why; right ones compile and run. Each is a mistake of its own,
// in the forms in which it can be made: `defineEntity`, and decorators of both dialects.

/** How many of 180 wrong programs are refused with a readable first line, at least. */
const leastReadable = 164;
/** How many of them compile and run, at most. */
const mostSilent = 0;
/** How many right programs are refused, at most. */
const mostRefused = 0;

let wrong: Result[];
let right: Result[];
beforeAll(async () => {
  const wrongOnes = readCorpus("wrong");
  const results = await resultsOf([...wrongOnes, ...readCorpus("right")]);
  [wrong, right] = [results.slice(0, wrongOnes.length), results.slice(wrongOnes.length)];
});

const of = (results: readonly Result[], ...outcomes: Outcome[]): Result[] =>
  results.filter(({ outcome }) => outcomes.includes(outcome));

describe("the corpus", () => {
  test("has 180 wrong programs and at least 80 right ones, each with a title of its own in its form", () => {
    const names = (results: readonly Result[]): string[] =>
      results.map(({ program }) => `${program.title} (${program.form})`);

    expect(wrong).toHaveLength(180);
    expect(right.length).toBeGreaterThanOrEqual(80);
    expect(new Set(names(wrong)).size).toBe(wrong.length);
    expect(new Set(names(right)).size).toBe(right.length);
  });

  test("has both forms, and each decorated program in both dialects unless it names one", () => {
    const decorated = wrong.filter(({ program }) => program.form === "decorators");

    expect(decorated.length).toBeGreaterThanOrEqual(60);
    expect(decorated.filter(({ program }) => program.dialects.length === 2).length).toBeGreaterThanOrEqual(
      60,
    );
    expect(wrong.length - decorated.length).toBeGreaterThanOrEqual(60);
  });

  test("names what each mistake is about", () => {
    expect(wrong.filter(({ program }) => program.names.length === 0)).toEqual([]);
  });
});

test("most wrong programs do not compile, and the first line says why", () => {
  const readable = of(wrong, "readable");

  const others = listOf(of(wrong, "unreadable", "at run time"));
  expect(readable.length, others).toBeGreaterThanOrEqual(leastReadable);
});

test("a wrong program that compiles ends with an error that has a code", () => {
  const silent = of(wrong, "silent");

  expect(of(wrong, "foreign error").map(({ why }) => why)).toEqual([]);
  expect(silent.length, listOf(silent)).toBeLessThanOrEqual(mostSilent);
});

test("right programs compile and run", () => {
  const refused = right.filter(({ outcome }) => outcome !== "silent");

  expect(refused.length, listOf(refused)).toBeLessThanOrEqual(mostRefused);
});

describe("a page of programs", () => {
  test("gives a program for each form of a code block", () => {
    const page =
      "# Page\n\n## A mistake in `a` and `b`\n\n```ts both\nlet a;\n```\n\n```ts legacy\nlet b;\n```\n";

    const programs = programsOf("page.md", page);

    expect(programs.map(({ form, dialects, place }) => [form, dialects, place])).toEqual([
      ["defineEntity", ["standard"], "page.md:5"],
      ["decorators", ["standard", "legacy"], "page.md:5"],
      ["decorators", ["legacy"], "page.md:9"],
    ]);
    expect(programs[2]).toMatchObject({
      title: "A mistake in `a` and `b`",
      names: ["a", "b"],
      code: "let b;\n",
    });
  });

  test.each([
    ["a form that there is not", "## Title\n\n```ts other\n```\n"],
    ["no title", "```ts both\n```\n"],
  ])("is refused for a code block with %s", (_what, page) => {
    expect(() => programsOf("page.md", page)).toThrow(/page\.md:\d/);
  });
});
