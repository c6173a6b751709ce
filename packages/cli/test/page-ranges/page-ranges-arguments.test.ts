import { describe, expect, test } from "vitest";
import { pageRanges } from "../../src/commands/page-ranges.ts";
import {
  type PageRangesArguments,
  type PageRangesTexts,
  readPageRangesArguments,
} from "../../src/page-ranges/page-ranges-arguments.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";

function read(line: readonly string[]): PageRangesArguments {
  const { args, options } = given<PageRangesTexts>(pageRanges, line);
  return readPageRangesArguments(args, options);
}

test("bytes may have units, and a blob a name", () => {
  const args = [
    "UseDevelopmentStorage=true",
    "--blob",
    "vhds/a.vhd",
    "--segment",
    "10G",
    "--from",
    "1M",
    "--join",
  ];

  expect(read([...args, "--timeout", "30"])).toStrictEqual({
    target: "UseDevelopmentStorage=true",
    blob: "vhds/a.vhd",
    segmentBytes: 10 * 1024 ** 3,
    from: 1024 ** 2,
    timeoutMs: 30_000,
    isJoined: true,
    isListed: false,
  });
});

describe("what is refused", () => {
  test.each([
    [[]],
    [["url", "more"]],
    [["url", "--segment", "1000"]],
    [["url", "--segment", "-512"]],
    [["url", "--from", "1X"]],
    [["url", "--timeout", "0"]],
    [["url", "--retry"]],
  ])("%j", (args) => {
    expect(() => read(args)).toThrow(UsageError);
  });
});
