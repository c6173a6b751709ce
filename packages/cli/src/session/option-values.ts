import { UsageError } from "./usage-error.ts";

/** Creates a parser of whole numbers, written in digits. @throws UsageError for any other text */
export const wholeNumber =
  (flag: string, least: number = 1, most: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new UsageError(
      most === Number.MAX_SAFE_INTEGER
        ? `${flag} takes a whole number, ${least} or more.`
        : `${flag} takes a number from ${least} to ${most}.`,
    );
  };

/** Creates a parser of ports. 0 means a free port. */
export const port = (flag: string): ((text: string) => number) => wholeNumber(flag, 0, 65_535);

/** Creates a parser of numbers above 0, with fractions. */
export const numberAboveZero =
  (flag: string) =>
  (text: string): number => {
    const number = Number(text);
    if (Number.isFinite(number) && number > 0) return number;
    throw new UsageError(`${flag} takes a number above 0.`);
  };

const units: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Creates a parser of bytes in complete pages, with or without a unit: `150M` is 150 MiB. */
export const pageBytes =
  (flag: string) =>
  (text: string): number => {
    const [, digits = "", unit = ""] = /^(\d{1,15})([KMGT]?)$/i.exec(text) ?? [];
    const bytes = Number(digits) * (units[unit.toUpperCase()] ?? Number.NaN);
    if (digits !== "" && bytes % 512 === 0) return bytes;
    throw new UsageError(`${flag} takes a multiple of 512 bytes, such as 512, 150M or 10G.`);
  };

/** Creates a parser of names, separated by commas. */
export const names =
  (flag: string) =>
  (text: string): readonly string[] => {
    const found = text.split(",").map((name) => name.trim());
    if (!found.includes("")) return [...new Set(found)];
    throw new UsageError(`${flag} takes names, separated by commas.`);
  };

/** Creates a parser of one of several words. */
export const oneOf =
  <const Word extends string>(flag: string, ...words: readonly Word[]) =>
  (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new UsageError(`${flag} takes ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);
  };
