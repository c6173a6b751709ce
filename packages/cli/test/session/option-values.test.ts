import { describe, expect, test } from "vitest";
import { restore } from "../../src/commands/restore.ts";
import { oneOf, pageBytes, wholeNumber } from "../../src/session/option-values.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";

const options = (...line: readonly string[]): object =>
  given(restore, ["memory:", "a.backup", ...line]).options;

test("a concurrency that memory does not hold is a wrong call", () => {
  expect(options("--concurrency", "1000", "--rate", "1000000")).toEqual({
    concurrency: 1000,
    rate: 1_000_000,
  });
  for (const concurrency of ["1001", "1e9", "0", "-1", "NaN", "1.5", ""])
    expect(() => options("--concurrency", concurrency)).toThrow(UsageError);
});

describe("a wrong value", () => {
  test.each([
    [wholeNumber("--rows"), "many", "--rows takes a whole number, 1 or more."],
    [wholeNumber("--rows"), "1e3", "--rows takes a whole number, 1 or more."],
    [wholeNumber("--port", 0, 65_535), "65536", "--port takes a number from 0 to 65535."],
    [oneOf("--mode", "insert", "merge", "replace"), "Merge", "--mode takes insert, merge or replace."],
    [pageBytes("--from"), "1000", "--from takes a multiple of 512 bytes, such as 512, 150M or 10G."],
    [pageBytes("--from"), "", "--from takes a multiple of 512 bytes, such as 512, 150M or 10G."],
  ])("of %s is refused: %j", (read, text, message) => {
    expect(() => read(text)).toThrow(new UsageError(message));
  });
});
