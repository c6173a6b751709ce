import { expect, test } from "vitest";
import { isReadable } from "../src/programs/readable-line.ts";

// Which first lines of the compiler tell a reader what is wrong; all of them are what it prints.

test.each<[what: string, line: string, source: string]>([
  [
    "a sentence of ours",
    `Type 'string' is not assignable to type 'ModelError<"there is no such setting here">'.`,
    `seperator: "!",`,
  ],
  [
    "a sentence as a member's type",
    `Property 'gt' does not exist on type '{ "not comparable": "this property is stored as JSON"; }'.`,
    "c.tags.gt(3)",
  ],
  [
    "the name as a property",
    "Object literal may only specify known properties, and 'titel' does not exist in type 'BlogKey'.",
    "{ channel, titel }",
  ],
  ["the name as a text", `Argument of type '"titel"' is not assignable to parameter of type '"title"'.`, ""],
  [
    "the name in a short type",
    "Argument of type '{}' is not assignable to parameter of type '{ titel: string; }'.",
    "find(Blog, {})",
  ],
  ["two short types at the name", "Type 'string' is not assignable to type 'number'.", `titel: "x",`],
  ["two short types above the name alone", "Type 'string' is not assignable to type 'number'.", "titel"],
  ["a missing argument at the name", "Expected 2 arguments, but got 1.", "context.titel(blog)"],
])("%s is readable", (_what, line, source) => {
  expect(isReadable({ line, source }, ["titel"])).toBe(true);
});

test.each<[what: string, line: string, source: string]>([
  ["an overload", "No overload matches this call.", "titel()"],
  [
    "a decorator without parentheses",
    "Unable to resolve signature of class decorator when called as an expression.",
    "@titel",
  ],
  ["another name", "Property 'title' does not exist on type 'Blog'.", "blog.titel"],
  ["two types elsewhere", "Type 'string' is not assignable to type 'number'.", `title: "x",`],
  ["a part of a longer name", "Type 'string' is not assignable to type 'number'.", `titelOf: "x",`],
  [
    "a printed type",
    `Argument of type '{ titel: PropertyType<string, "required", false>; rowKey: { b: 1 }; }' is not assignable to parameter of type 'X'.`,
    "titel",
  ],
  ["a type that is cut off", "Type '{ titel: 1; ...; }' is not assignable to type 'X'.", "titel"],
  [
    "a sentence on a long line",
    `Type '${"x".repeat(160)}' is not assignable to type 'ModelError<"there is no such setting here">'.`,
    "titel",
  ],
])("%s is not readable", (_what, line, source) => {
  expect(isReadable({ line, source }, ["titel"])).toBe(false);
});

test("a name with signs is found as it is written", () => {
  const line = "Argument of type 'number' is not assignable to parameter of type 'string'.";

  expect(isReadable({ line, source: `constant("AGE:")` }, ["AGE:"])).toBe(true);
  expect(isReadable({ line, source: "where((b) => !b.isOpen)" }, ["!"])).toBe(true);
  expect(isReadable({ line, source: "a & b" }, ["&&"])).toBe(false);
});
