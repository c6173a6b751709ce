import type { CellType, CellValue } from "../../api/cells.ts";

/** A value as text for a form, in the form that `parseCell` reads. */
export function cellText(value: CellValue | undefined, type: CellType): string {
  if (value === undefined || value === null) return "";
  if (type === "Json") return JSON.stringify(value, null, 2);
  return String(typeof value === "object" ? JSON.stringify(value) : value);
}

/** A value in one line. */
export const cellLine = (value: CellValue | undefined): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");

/**
 * Parses the user's text.
 *
 * @param before - the previous text; an input only has line feeds, so the line ends of the value are taken
 * from it
 * @throws Error with a message for users
 */
export function parseCell(text: string, type: CellType, before = ""): CellValue {
  switch (type) {
    case "Int32":
    case "Double":
      return parseNumber(text, type);
    case "Boolean":
      if (text !== "true" && text !== "false") throw new Error("Write true or false.");
      return text === "true";
    case "Json":
      return parseJson(text);
    case "String":
      return withLineEnds(text, before);
    default:
      return text.trim();
  }
}

/** Whether a text has mixed line ends, which an input does not preserve. */
export const hasMixedLineEnds = (text: string): boolean =>
  text.includes("\r") && text.replaceAll("\r\n", "").match(/[\r\n]/) !== null;

const withLineEnds = (text: string, before: string): string =>
  before.includes("\r\n") && !hasMixedLineEnds(before) ? text.replace(/\r?\n/g, "\r\n") : text;

function parseNumber(text: string, type: "Int32" | "Double"): CellValue {
  const word = text.trim();
  if (type === "Double" && /^(NaN|-?Infinity)$/.test(word)) return word;
  const value = Number(word);
  // JSON has neither infinite numbers, which would clear the property, nor a negative zero.
  if (word === "" || !Number.isFinite(value)) throw new Error("Write a number.");
  return type === "Double" && Object.is(value, -0) ? "-0.0" : value;
}

function parseJson(text: string): CellValue {
  try {
    return JSON.parse(text) as CellValue;
  } catch {
    throw new Error("Write JSON. Text needs double quotes.");
  }
}
