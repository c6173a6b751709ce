import { readFile } from "node:fs/promises";
import { folderOfEachTest } from "@partita/test-support/folder-of-each-test";
import { anyInteger, anyText, definePatterns, pattern, type PatternUse } from "@partita/patterns";
import { expect, test } from "vitest";
import { assertPatterns, patternTable } from "../../src/index.ts";
import { Runner } from "./bookings.ts";

const inFolder = folderOfEachTest();
const race = { race: anyText(), distance: anyText() };

const patternsWith = (use: PatternUse | undefined) =>
  definePatterns({
    bib: pattern(
      Runner,
      { ...race, bib: anyInteger({ min: 1, max: 99 }) },
      (query, values) => query.where(values),
      {
        atMost: "row range scan",
        use,
      },
    ),
    all: pattern(Runner, race, (query, values) => query.where(values), { atMost: "partition scan" }),
  });

test("how often a pattern runs, its rows and its time are next to its plan", async () => {
  const checked = await assertPatterns(patternsWith({ perMinute: 6000, rows: 1, withinMs: 50 }));

  const lines = patternTable(checked).split("\n");

  expect(lines[0]).toMatch(/\| Index +\| Per minute \| Rows \| Within \|$/);
  expect(lines[2]).toMatch(/^\| bib +\| row range scan .*\| 6,000 +\| 1 +\| 50 ms +\|$/);
  expect(lines[3]).toMatch(/^\| all .*\| +\| +\| +\|$/);
  expect(checked.map(({ use }) => use?.rows)).toEqual([1, undefined]);
});

test("a lock file without them stays as it is, and shows when they are added or changed", async () => {
  const lock = inFolder("patterns.md");
  await assertPatterns(patternsWith(undefined), { lock, update: true });
  expect(await readFile(lock, "utf8")).not.toContain("Per minute");
  await assertPatterns(patternsWith(undefined), { lock });

  await expect(assertPatterns(patternsWith({ rows: 7 }), { lock })).rejects.toMatchObject({
    code: "pattern.lock-changed",
    message: expect.stringMatching(/bib\n.*- rows: \n.*\+ rows: 7/) as string,
  });
  await assertPatterns(patternsWith({ rows: 7 }), { lock, update: true });
  await assertPatterns(patternsWith({ rows: 7 }), { lock });
});

test.each([{ perMinute: 0 }, { rows: -1 }, { withinMs: "fast" }, { often: 1 }])("%j is refused", (use) => {
  expect(() => patternsWith(use as PatternUse)).toThrow(
    expect.objectContaining({ code: "pattern.option" }) as Error,
  );
});
