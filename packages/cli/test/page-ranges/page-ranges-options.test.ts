import { describe, expect, test } from "vitest";
import { pageRanges } from "../../src/commands/page-ranges.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";

const read = (line: readonly string[]): ReturnType<typeof given> => given(pageRanges, line);

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
    name: "page-ranges",
    args: ["UseDevelopmentStorage=true"],
    options: { blob: "vhds/a.vhd", segment: 10 * 1024 ** 3, from: 1024 ** 2, timeout: 30, join: true },
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
