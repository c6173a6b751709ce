import type { Cell, CellValue } from "../../api/cells.ts";
import { cellLine } from "../text/cell-text.ts";

/**
 * Compares cells for sorting: numbers by value, across the numeric types; times and text by character code, as
 * the storage orders keys. Values of different types are grouped by type.
 */
export function compareCells([, typeA, a]: Cell, [, typeB, b]: Cell): number {
  const [kindA, kindB] = [kindOf(typeA), kindOf(typeB)];
  if (kindA !== kindB) return kindA < kindB ? -1 : 1;
  if (kindA === "Number") return compareNumbers(numberOf(typeA, a), numberOf(typeB, b));
  const [textA, textB] = [textOf(typeA, a), textOf(typeB, b)];
  return textA < textB ? -1 : textA > textB ? 1 : 0;
}

const kindOf = (type: string): string => (/^Int|^Double/.test(type) ? "Number" : type);

/** Comparisons of a bigint and a number are exact. */
const numberOf = (type: string, value: CellValue): number | bigint =>
  type === "Int64" ? BigInt(cellLine(value)) : Number(value);

/** NaN is after all numbers. */
function compareNumbers(a: number | bigint, b: number | bigint): number {
  const [isA, isB] = [Number.isNaN(a), Number.isNaN(b)];
  if (isA || isB) return Number(isA) - Number(isB);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Without the Z of a time, a time is before the same time with fractions of a second. */
const textOf = (type: string, value: CellValue): string =>
  type === "DateTime" ? cellLine(value).replace(/Z$/, "") : cellLine(value);
