import { expect, test } from "vitest";
import { descriptionOf, readEntries } from "../src/reference-entries.ts";

test("the first comment of an entry says what it holds", () => {
  expect(descriptionOf("// The front door: every\n// decorator.\n\n// Not this.\n")).toBe("Every decorator.");
});

test("a source that begins with code says nothing", () => {
  expect(descriptionOf('import { a } from "a";\n\n// Not this.\n')).toBe("");
});

test("every entry of every package is found once, with its file", () => {
  const entries = readEntries();
  const names = entries.map(({ name }) => name);

  expect(names).toEqual(
    expect.arrayContaining(["@partita/core", "@partita/core/keys", "@partita/decorators"]),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(entries.find(({ name }) => name === "@partita/core/keys")?.file).toMatch(
    /core[\\/]src[\\/]keys\.ts$/,
  );
});
