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

/** How a part of a key is written, as far as stored keys show it. */
export interface PartFormat {
  /** As it stands in a declaration: `padded(9)`. */
  readonly code: string;
  readonly format: AnyKeyFormat;
  /** What the part may be called, where nothing else says it. */
  readonly name: string;
  /** The TypeScript type of its values; undefined for a part that is always the same. */
  readonly type: "string" | "number" | "bigint" | "Date" | "Ticks" | undefined;
  /** Why it was taken for this, or what else it may be; for people. */
  readonly note?: string;
}

/** Digits that a JavaScript number holds exactly. */
const digitsOfNumber = 15;

const isPlausible = (year: number): boolean => year >= 1990 && year <= 2100;

/**
 * The format of the texts of one key part: the narrowest that reads each of them, and writes it the same.
 *
 * @param texts - different texts, at least one
 * @param mayBeConstant - whether one text for all rows is the declaration's, and no value of a row
 */
export function formatOf(texts: readonly string[], mayBeConstant: boolean): PartFormat {
  const [first = ""] = texts;
  if (texts.length === 1 && mayBeConstant && isWord(first)) return constantPart(first);
  return (
    recognisers.flatMap((recognise) => recognise(texts) ?? []).find((found) => fits(found, texts)) ??
    textPart(noteOf(texts))
  );
}

/** A text that is always there. */
export const constantPart = (literal: string): PartFormat => ({
  code: `constant(${printable(JSON.stringify(literal))})`,
  format: constant(literal),
  name: "row",
  type: undefined,
});

/** A text that names something, rather than a number or a time. */
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

/** Times of 19 digits, in the order that their years make plausible. */
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

/** Digits of one length sort as their numbers do. */
function numbers(texts: readonly string[]): PartFormat | undefined {
  const width = texts[0]?.length ?? 0;
  if (width < 2 || !all(texts, /^\d+$/) || texts.some(({ length }) => length !== width)) return undefined;
  const note = "digits of one length; descending(…) around it, where larger numbers were to sort first";
  if (width <= digitsOfNumber)
    return { code: `padded(${width})`, format: padded(width), name: "number", type: "number", note };
  if (width > 19) return undefined;
  return { code: `padded64(${width})`, format: padded64(width), name: "number", type: "bigint", note };
}

/** Text as it is. */
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
