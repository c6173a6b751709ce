import { join, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { localPathOf } from "../../src/files/local-path.ts";

test("a path is below the folder, with the same names", () => {
  expect(localPathOf("out", "a/b c/ü.txt")).toBe(join("out", "a", "b c", "ü.txt"));
});

describe("names that would leave the folder, or be another file, are no names", () => {
  test.each(["", "..", ".", "a/../b", "../a", "a//b", "/etc/passwd", "a/", "a\0b", "a/\ud800"])(
    "%j",
    (path) => {
      expect(localPathOf("out", path, "linux")).toBeUndefined();
      expect(localPathOf("out", path, "win32")).toBeUndefined();
    },
  );

  test.each([
    "C:/Windows/a",
    "C:a",
    "..\\..\\a",
    "\\\\server\\share",
    "a\\b",
    "a:stream",
    "con",
    "NUL.txt",
    "com1",
    "LPT².log",
    "a.",
    "a ",
    "..  ",
    "what?",
    "a\nb",
  ])("%j on Windows", (path) => {
    expect(localPathOf("out", path, "win32")).toBeUndefined();
    expect(resolve(localPathOf("out", path, "linux") ?? "").startsWith(resolve("out") + sep)).toBe(true);
  });

  test.each(["console", "a.con", "com10", "a b", ".hidden", "...a"])("%j is a name everywhere", (path) => {
    expect(localPathOf("out", path, "win32")).toBe(join("out", path));
  });
});
