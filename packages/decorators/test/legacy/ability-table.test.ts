// The tables of the guide "Declare classes" against the classes that prove them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const testFolder = join(import.meta.dirname, "..");
const guide = readFileSync(join(testFolder, "../../../docs/decorators-and-forms.md"), "utf8");
const sources = globSync("fixtures/abilities/*.ts", { cwd: testFolder }).map((file) =>
  readFileSync(join(testFolder, file), "utf8"),
);

/** The cells of a row; a pipe in code is written with a backslash. */
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));

/** The rows of all tables that compare the two forms. */
const rows = [...guide.matchAll(/(?:^\|.*\n)+/gm)].flatMap(([table]) => {
  const [header = [], , ...body] = table.trim().split("\n").map(cellsOf);
  return header[1] === "With decorators" && header[2] === "Without decorators" ? body : [];
});

/** Code without what only a formatter decides. */
const normalised = (code: string): string => code.replaceAll(/\s/g, "").replaceAll(/,([\]})])/g, "$1");

/** The two declarations of each ability. */
const declarations = sources.flatMap((source) =>
  [
    ...source.matchAll(
      /\bname: "[^"]*",\n\s*(?<plain>plain\b.*?)\n\s*(?<decorated>decorated\(\).*?\n {2,4}\},\n)/gs,
    ),
  ].map(({ groups: { plain = "", decorated = "" } = {} }) => ({
    plain: normalised(plain),
    decorated: normalised(decorated),
  })),
);

const codesOf = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => normalised(code));

test("the guide compares the two forms", () => {
  expect(rows.length).toBeGreaterThan(35);
});

test.each(rows)("%s: both forms are code of one tested ability", (_name, decorated = "", plain = "") => {
  const [withDecorators, without] = [codesOf(decorated), codesOf(plain)];

  const proofs = declarations.filter(
    (each) =>
      withDecorators.every((code) => each.decorated.includes(code)) &&
      without.every((code) => each.plain.includes(code)),
  );

  expect(withDecorators).not.toEqual([]);
  expect(without).not.toEqual([]);
  expect(proofs).not.toEqual([]);
});
