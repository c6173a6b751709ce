import { expect, test } from "vitest";
import { descriptionOf, readEntries } from "../src/reference-entries.ts";

test("the first comment of an entry says what it holds", () => {
  expect(descriptionOf("// The front door: every\n// decorator.\n\n// Not this.\n")).toBe("Every decorator.");
});

test("every entry of every package has a description", () => {
  const entries = readEntries();

  expect(entries.map(({ name }) => name)).toContain("@partita/core/keys");
  expect(entries.filter(({ description }) => description === "")).toEqual([]);
});
