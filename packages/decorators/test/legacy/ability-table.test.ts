// The table "What each form can declare" of the guide against the classes that prove it.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { abilities } from "../fixtures/abilities.ts";
import { inferred } from "./inferred.ts";

const testFolder = join(import.meta.dirname, "..");
const guide = readFileSync(join(testFolder, "../../../docs/decorators-and-forms.md"), "utf8");
const sources = ["legacy/inferred.ts", ...globSync("fixtures/abilities/*.ts", { cwd: testFolder })].map(
  (file) => readFileSync(join(testFolder, file), "utf8"),
);

/** The cells of each row; a pipe in code is written with a backslash. */
const [header, , ...rows] = (/## What each form can declare\n[^|]*((?:\|.*\n)+)/.exec(guide)?.[1] ?? "")
  .trim()
  .split("\n")
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|")),
  );

/** Code without what only a formatter decides. */
const normalised = (code: string): string => code.replaceAll(/\s/g, "").replaceAll(/,([\]})])/g, "$1");

/** The two declarations of each ability, by its name. */
const declarations = new Map(
  sources.flatMap((source) =>
    [
      ...source.matchAll(
        /\bname: "(?<name>[^"]*)",\n\s*(?<plain>plain\b.*?)\n\s*(?<decorated>decorated\(\).*?\n {2,4}\},\n)/gs,
      ),
    ].map(
      ({ groups: { name = "", plain = "", decorated = "" } = {} }) =>
        [name, { plain: normalised(plain), decorated: normalised(decorated) }] as const,
    ),
  ),
);

const codesOf = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);

const sorted = (names: readonly string[]): string[] => names.toSorted((a, b) => (a < b ? -1 : 1));

test("the guide lists exactly the abilities of the fixture", () => {
  const names = sorted([...abilities, inferred].map(({ name }) => name));

  expect(header).toEqual(["Ability", "Without decorators", "Standard decorators", "Legacy decorators"]);
  expect(sorted(rows.map(([name = ""]) => name))).toEqual(names);
  expect(sorted([...declarations.keys()])).toEqual(names);
});

/** What is wrong with a cell: it is neither code of the fixture, nor the same as the cell before it, nor a reason. */
function problemsOf(cell: string, before: string | undefined, source: string): string[] {
  if (/^not (?:possible|needed): \S.{9,}/.test(cell)) return [];
  const codes = codesOf(cell === "the same" ? (before ?? "") : cell);
  if (codes.length === 0) return [`"${cell}" says nothing`];
  return codes
    .filter((code) => !source.includes(normalised(code)))
    .map((code) => `${code} is not in the fixture`);
}

test.each(rows)(
  "%s: each cell is code of the fixture, the same as before, or a reason",
  (name = "", ...cells) => {
    const { plain = "", decorated = "" } = declarations.get(name) ?? {};

    const problems = cells.flatMap((cell, at) =>
      problemsOf(
        cell,
        cells.slice(0, at).findLast((each) => each !== "the same"),
        at === 0 ? plain : decorated,
      ),
    );

    expect(cells).toHaveLength(3);
    expect(problems).toEqual([]);
  },
);
