import { describe, expect, test } from "vitest";
import { readFilesArguments } from "../../src/files/files-arguments.ts";
import { UsageError } from "../../src/usage-error.ts";

test("options may stand anywhere, and - is standard input", () => {
  const asked = readFilesArguments(["--name", "Docs", "file:a.db", "put", "-", "/a", "--type", "text/plain"]);

  expect(asked).toMatchObject({
    storage: "file:a.db",
    name: "Docs",
    verb: "put",
    operands: ["-", "/a"],
    type: "text/plain",
  });
});

test("short options are taken together", () => {
  const asked = readFilesArguments(["file:a.db", "tail", "-f", "-n", "0", "/a"]);

  expect(asked).toMatchObject({ isFollowed: true, blocks: 0, operands: ["/a"] });
});

describe("what is refused", () => {
  test.each([
    [[]],
    [["file:a.db"]],
    [["file:a.db", "constructor"]],
    [["file:a.db", "ls", "/a", "/b"]],
    [["file:a.db", "get", "/a"]],
    [["file:a.db", "cat"]],
    [["file:a.db", "ls", "--force"]],
    [["file:a.db", "mv", "-r", "/a", "/b"]],
    [["file:a.db", "ls", "--unknown"]],
    [["file:a.db", "tail", "-n", "1.5", "/a"]],
    [["file:a.db", "cat", "--version", "0", "/a"]],
    [["file:a.db", "cat", "--version", "1e3", "/a"]],
  ])("%j", (args) => {
    expect(() => readFilesArguments(args)).toThrow(UsageError);
  });
});

test("a connection string in a wrong place is not printed", () => {
  const secret = "AccountName=a;AccountKey=c2VjcmV0";

  for (const args of [
    ["ls", secret],
    [secret, secret, "ls"],
    ["file:a.db", "cat", "/a", secret],
  ])
    expect(() => readFilesArguments(args)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("c2VjcmV0") }),
    );
});
