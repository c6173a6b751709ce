import type { CellType, CellValue } from "../../api/cells.ts";

/** A value as a form shows it, and as `parseCell` reads it. */
export function cellText(value: CellValue | undefined, type: CellType): string {
  if (value === undefined || value === null) return "";
  if (type === "Json") return JSON.stringify(value, null, 2);
  return String(typeof value === "object" ? JSON.stringify(value) : value);
}

/** A value in one line. */
export const cellLine = (value: CellValue | undefined): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");

/**
 * The value that somebody wrote.
 *
 * @param before - the text that was there: an input has line feeds alone, and a value's own line ends stay
 * @throws Error in words for people
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

/** Whether a text has line ends of several kinds, which an input does not keep. */
export const hasMixedLineEnds = (text: string): boolean =>
  text.includes("\r") && text.replaceAll("\r\n", "").match(/[\r\n]/) !== null;

const withLineEnds = (text: string, before: string): string =>
  before.includes("\r\n") && !hasMixedLineEnds(before) ? text.replace(/\r?\n/g, "\r\n") : text;

function parseNumber(text: string, type: "Int32" | "Double"): CellValue {
  const word = text.trim();
  if (type === "Double" && /^(NaN|-?Infinity)$/.test(word)) return word;
  const value = Number(word);
  // JSON has neither infinite numbers, which would clear the property, nor a minus zero.
  if (word === "" || !Number.isFinite(value)) throw new Error("Write a number.");
  return type === "Double" && Object.is(value, -0) ? "-0.0" : value;
}

function parseJson(text: string): CellValue {
  try {
    return JSON.parse(text) as CellValue;
  } catch {
    throw new Error("Write JSON: text stands in double quotes.");
  }
}
