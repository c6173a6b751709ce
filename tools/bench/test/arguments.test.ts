import { expect, test } from "vitest";
import { parseArguments } from "../src/run/arguments.ts";

const known = ["decode", "growth", "scan", "scans", "http"];

test("without a name all benchmarks run, but those that take minutes", () => {
  expect(parseArguments([], known)).toEqual({
    benchmarks: ["decode", "scan", "scans", "http"],
    isChecked: false,
    json: undefined,
  });
});

test("a name means one benchmark, its beginning all that begin so", () => {
  expect(parseArguments(["scan", "growth"], known).benchmarks).toEqual(["growth", "scan"]);
  expect(parseArguments(["sc"], known).benchmarks).toEqual(["scan", "scans"]);
});

test("flags stand before or behind names", () => {
  expect(parseArguments(["--check", "http", "--json", "a.json"], known)).toEqual({
    benchmarks: ["http"],
    isChecked: true,
    json: "a.json",
  });
});

test("what means nothing is refused in words", () => {
  expect(() => parseArguments(["decoed"], known)).toThrow(
    'There is no benchmark "decoed". There are: decode, growth, scan, scans, http.',
  );
  expect(() => parseArguments(["--chek"], known)).toThrow("There is no flag --chek.");
  expect(() => parseArguments(["--json", "--check"], known)).toThrow("--json takes the file to write.");
  expect(() => parseArguments(["--json"], known)).toThrow("--json takes the file to write.");
});
