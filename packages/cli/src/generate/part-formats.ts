import { guid } from "@partita/core";
import {
  type AnyKeyFormat,
  constant,
  escaped,
  newestFirst,
  oldestFirst,
  padded,
  padded64,
  ulid,
  verbatim,
} from "@partita/core/keys";
import { printable } from "../terminal/printable.ts";

/** The format of a key part, as far as stored keys show it. */
export interface PartFormat {
  /** Its code in a declaration: `padded(9)`. */
  readonly code: string;
  readonly format: AnyKeyFormat;
  /** The default name of the part. */
  readonly name: string;
  /** The TypeScript type of its values. Undefined for a constant part. */
  readonly type: "string" | "number" | "bigint" | "Date" | "Ticks" | undefined;
  /** The reason for this guess, or an alternative, for the reader of the code. */
  readonly note?: string;
}

/** Digits that a JavaScript number holds exactly. */
const digitsOfNumber = 15;

const isPlausible = (year: number): boolean => year >= 1990 && year <= 2100;

/**
 * Guesses the format of one key part: the narrowest that reads each text and writes it unchanged.
 *
 * @param texts - different texts, at least one
 * @param mayBeConstant - whether a text that is equal in all rows is part of the declaration, not a value
 */
export function formatOf(texts: readonly string[], mayBeConstant: boolean): PartFormat {
  const [first = ""] = texts;
  if (texts.length === 1 && mayBeConstant && isWord(first)) return constantPart(first);
  return (
    recognisers.flatMap((recognise) => recognise(texts) ?? []).find((found) => fits(found, texts)) ??
    textPart(noteOf(texts))
  );
}

/** A constant text. */
export const constantPart = (literal: string): PartFormat => ({
  code: `constant(${printable(JSON.stringify(literal))})`,
  format: constant(literal),
  name: "row",
  type: undefined,
});

/** Whether the text is a word, not a number or a time. */
const isWord = (value: string): boolean => /^[^\d]*$/u.test(value);

const fits = ({ format }: PartFormat, texts: readonly string[]): boolean =>
  texts.every((each) => {
    const value: unknown = format.decode(each);
    return value !== undefined && format.encode(value) === each;
  });

type Recogniser = (texts: readonly string[]) => PartFormat | undefined;

const all = (texts: readonly string[], form: RegExp): boolean => texts.every((each) => form.test(each));

const recognisers: readonly Recogniser[] = [
  (texts) =>
    all(texts, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      ? { code: "guid()", format: guid, name: "id", type: "string" }
      : undefined,
  (texts) =>
    all(texts, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
      ? { code: "ulid", format: ulid, name: "id", type: "string" }
      : undefined,
  (texts) => times(texts, newestFirst, "newestFirst", "inverted ticks: the newest sorts first"),
  (texts) => times(texts, oldestFirst, "oldestFirst", "ticks: the oldest sorts first"),
  numbers,
  (texts) =>
    texts.some((each) => each.includes(".~"))
      ? { code: "escaped", format: escaped, name: "name", type: "string" }
      : undefined,
];

/** Times of 19 digits. The order is the one that gives plausible years. */
function times(
  texts: readonly string[],
  order: typeof newestFirst,
  code: string,
  note: string,
): PartFormat | undefined {
  if (!all(texts, /^\d{19}$/)) return undefined;
  const dates = texts.map((each) => order.decode(each));
  if (dates.every((date) => date !== undefined && isPlausible(date.getUTCFullYear())))
    return { code, format: order, name: "time", type: "Date", note };
  const ticks = order({ ticks: true });
  const years = texts.map((each) => ticks.decode(each)?.toDate().getUTCFullYear());
  return years.every((year) => year !== undefined && isPlausible(year))
    ? { code: `${code}({ ticks: true })`, format: ticks, name: "time", type: "Ticks", note }
    : undefined;
}

/** Digits of equal length sort like their numbers. */
function numbers(texts: readonly string[]): PartFormat | undefined {
  const width = texts[0]?.length ?? 0;
  if (width < 2 || !all(texts, /^\d+$/) || texts.some(({ length }) => length !== width)) return undefined;
  const note = "digits of one length; wrap it in descending(…) if larger numbers should sort first";
  if (width <= digitsOfNumber)
    return { code: `padded(${width})`, format: padded(width), name: "number", type: "number", note };
  if (width > 19) return undefined;
  return { code: `padded64(${width})`, format: padded64(width), name: "number", type: "bigint", note };
}

/** Plain text. */
export const textPart = (note?: string): PartFormat => ({
  code: "text()",
  format: verbatim,
  name: "name",
  type: "string",
  ...(note !== undefined && { note }),
});

function noteOf(texts: readonly string[]): string | undefined {
  if (all(texts, /^\d+$/) && texts.length > 1)
    return "numbers of different lengths: as text, 10 sorts before 9";
  if (all(texts, /^\d{4}-\d\d(-\d\d)?(T[\d:.]+Z?)?$/)) return "dates as ISO 8601, which sort as text";
  if (all(texts, /^\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?$/))
    return "GUIDs, not all in lower case: as text, each case is another key";
  return undefined;
}
