import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/session/usage-error.ts";
import { filesOptions } from "./files-options.ts";

test("options may stand anywhere, and - is standard input", () => {
  const asked = filesOptions(["--name", "Docs", "file:a.db", "put", "-", "/a", "--type", "text/plain"]);

  expect(asked).toMatchObject({
    storage: "file:a.db",
    name: "Docs",
    verb: "put",
    operands: ["-", "/a"],
    type: "text/plain",
  });
});

test("short options are taken together", () => {
  const asked = filesOptions(["file:a.db", "tail", "-f", "-n", "0", "/a"]);

  expect(asked).toMatchObject({ follow: true, blocks: 0, operands: ["/a"] });
});

describe("what is refused", () => {
  test.each([
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
    expect(() => filesOptions(args)).toThrow(UsageError);
  });
});

test("the storage may stand behind the verb, too", () => {
  const behind = filesOptions(["put", "--name", "Docs", "file:a.db", "-", "/a"]);

  expect(behind).toEqual(filesOptions(["--name", "Docs", "file:a.db", "put", "-", "/a"]));
});

test("a connection string in a wrong place is not printed", () => {
  const secret = "AccountName=a;AccountKey=c2VjcmV0";

  for (const args of [
    ["ls", secret, "/a", "/b"],
    [secret, secret, "ls"],
    ["file:a.db", "cat", "/a", secret],
  ])
    expect(() => filesOptions(args)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("c2VjcmV0") }),
    );
});
