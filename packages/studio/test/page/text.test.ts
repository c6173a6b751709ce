import { describe, expect, test } from "vitest";
import { changesOf, draftOf, isChanged, warningOf } from "../../src/page/form/draft.ts";
import { parseCell } from "../../src/page/text/cell-text.ts";
import { printable, textParts } from "../../src/page/text/printable.ts";

describe("text in a line", () => {
  test("shows what cannot be seen, and what turns its direction", () => {
    expect(printable("a\u202eb\u0000c\nd\u200be\ud800")).toBe("a⟨202e⟩b⟨0⟩c↵d⟨200b⟩e⟨d800⟩");
    expect(printable("😀 é")).toBe("😀 é");
    expect(printable("a\u00a0b\u3164\u2800")).toBe("a⟨a0⟩b⟨3164⟩⟨2800⟩");
    expect(printable("x".repeat(400))).toHaveLength(301);
  });

  test("shows blanks at its ends, which keys may differ by", () => {
    expect(["a b", " a", "a  ", " "].map(printable)).toEqual(["a b", "␣a", "a␣␣", "␣"]);
  });

  test("distinguishes a code from text that looks like one", () => {
    expect(textParts("⟨a0⟩\u00a0")).toEqual([
      { text: "⟨a0⟩", isCode: false },
      { text: "⟨a0⟩", isCode: true },
    ]);
  });
});

describe("a form", () => {
  test("asks to store what was changed alone, each in its type", () => {
    const draft = draftOf(
      [
        ["Text", "String", "a\r\nb"],
        ["Count", "Int32", 1],
        ["Gone", "String", "x"],
        ["Same", "Double", 1.5],
      ],
      [],
    ).map((field) => ({
      ...field,
      // As a text area shows it: line feeds alone.
      text: { Text: "a\nb\nc", Count: "42", Gone: undefined, Same: "1.5" }[field.name],
    }));

    expect(changesOf(draft)).toEqual([
      { name: "Text", type: "String", value: "a\r\nb\r\nc" },
      { name: "Count", type: "Int32", value: 42 },
      { name: "Gone", type: "String", value: null },
    ]);
  });

  test("takes line ends that an input does not show for no change, and warns of mixed ones", () => {
    const [plain, mixed] = draftOf(
      [
        ["A", "String", "a\r\nb"],
        ["B", "String", "a\r\nb\nc"],
      ],
      [],
    );

    expect(plain !== undefined && isChanged({ ...plain, text: "a\nb" })).toBe(false);
    expect([plain, mixed].map((field) => field !== undefined && warningOf(field) !== undefined)).toEqual([
      false,
      true,
    ]);
  });

  test("refuses what is not of a type", () => {
    for (const [text, type] of [
      ["x", "Int32"],
      ["Infinity", "Int32"],
      ["1e999", "Double"],
      ["", "Double"],
      ["yes", "Boolean"],
      ["{a", "Json"],
    ] as const)
      expect(() => parseCell(text, type)).toThrow(/^Write/);
    expect(["NaN", "-Infinity"].map((text) => parseCell(text, "Double"))).toEqual(["NaN", "-Infinity"]);
  });

  test("asks for what was written, in a form that JSON has: no number becomes a cleared property, or another number", () => {
    const written = ["-0.0", "-0", "1e-320", "1.0"].map((text) => parseCell(text, "Double"));

    expect(JSON.parse(JSON.stringify(written))).toEqual(["-0.0", "-0.0", 1e-320, 1]);
  });
});
