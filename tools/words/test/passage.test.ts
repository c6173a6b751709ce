import { expect, test } from "vitest";
import { commentsOf, countWords, messagesOf, proseOfPage } from "../src/passage.ts";

test("a page is read without its code, tables, addresses and comments, and its lines keep their numbers", () => {
  const page = [
    "# What `a.b` does",
    "",
    "See [the guide](nobody.md).",
    "<!-- nobody -->",
    "```ts",
    "nobody();",
    "```",
    "| nobody |",
    "- Last.",
  ].join("\n");

  expect(proseOfPage("a.md", page).text).toBe("¶What x does\n\nSee the guide.\n\n\n\n\n\n¶Last.");
});

test("comments are read with their lines, and line comments that follow each other as one", () => {
  const source =
    "// One that\n// goes on.\nconst a = 1; // Another.\n\n/**\n * Third `code`.\n * @returns it\n */\n";

  const found = commentsOf("a.ts", source).map(({ line, text }) => [
    line,
    text.trim().split(/\s+/).join(" "),
  ]);

  expect(found).toEqual([
    [1, "One that goes on. Another."],
    [5, "Third x. it"],
  ]);
});

test("messages are strings that are sentences; values in them count as a word", () => {
  const source = [
    "throw new Error(`The table ${name} is not there.`);",
    'const key = "PartitionKey";',
    'const code = "const a = 1; return a";',
    'const query = "SELECT a FROM b WHERE c";',
  ].join("\n");

  expect(messagesOf("a.ts", source)).toEqual([{ path: "a.ts", line: 1, text: "The table x is not there." }]);
});

test("words have a letter", () => {
  expect(countWords("Two words, 3 – and\n¶four")).toBe(4);
});
