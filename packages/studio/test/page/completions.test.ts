import { describe, expect, test } from "vitest";
import { completionsOf, constantsOf, type QueryField } from "../../src/page/query/completions.ts";

const fields: readonly QueryField[] = [
  { name: "channel", type: "String", key: "PartitionKey", constants: ["'Azure'", "'It''s'"] },
  { name: "postedOn", type: "DateTime", key: "RowKey", constants: [] },
  { name: "rating", type: "Int32", key: undefined, constants: ["1", "5"] },
  { name: "isPinned", type: "Boolean", key: undefined, constants: [] },
];

const after = (text: string): string[] => completionsOf(text, fields).options.map((each) => each.text);

describe("completions", () => {
  test.each([
    ["", ["channel", "postedOn", "rating", "isPinned", "startswith()", "not"]],
    ["r", ["rating"]],
    ["channel eq 'Azure' and po", ["postedOn"]],
    ["not (is", ["isPinned"]],
    ["rating ", ["eq", "ne", "lt", "le", "gt", "ge", "in ()"]],
    ["rating g", ["gt", "ge"]],
    ["isPinned ", ["eq", "ne", "in ()"]],
    ["isPinned eq ", ["true", "false"]],
    ["channel eq ", ["'Azure'", "'It''s'"]],
    ["channel eq 'I", ["'It''s'"]],
    ["channel in (", ["'Azure'", "'It''s'"]],
    ["channel in ('Azure'", [",", ")"]],
    ["channel in ('Azure', 'It", ["'It''s'"]],
    ["rating eq 5 ", ["and", "or"]],
    ["(rating eq 5) o", ["or"]],
    ["startswith(", ["channel"]],
    ["startswith(channel ", [","]],
    ["startswith(channel, ", ["''"]],
    ["startswith(channel, 'A'", [")"]],
    ["startswith(channel, 'A') ", ["and", "or"]],
    ["nothing eq ", []],
  ])("after %j", (text, options) => {
    expect(after(text)).toEqual(options);
  });

  test("replace the unfinished word alone", () => {
    expect(completionsOf("channel eq 'Azure' and ra", fields).start).toBe("channel eq 'Azure' and ".length);
    expect(completionsOf("channel eq 'It''", fields)).toMatchObject({ start: 11 });
  });

  test("leave text that is not a query alone", () => {
    expect(after("channel eq 'It''s'")).toEqual(["and", "or"]);
    expect(() => after("%%% ''' ((( ,,")).not.toThrow();
  });
});

test("values of rows become constants, each once, without long or odd ones", () => {
  expect(constantsOf("String", ["b", "a'b", "b", "x".repeat(100)])).toEqual(["'a''b'", "'b'"]);
  expect(constantsOf("Int64", ["9998000000"])).toEqual(["9998000000"]);
  expect(constantsOf("Double", ["NaN", 1.5])).toEqual(["1.5"]);
  expect(constantsOf("Json", [{ a: 1 }])).toEqual([]);
});
