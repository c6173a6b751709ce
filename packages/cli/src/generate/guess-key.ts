import { formatOf, type PartFormat } from "./part-formats.ts";

/** What a key is made of. */
export interface KeyGuess {
  readonly parts: readonly PartFormat[];
  /** Between the parts; undefined where there is one only. */
  readonly separator: string | undefined;
}

/** What programs put between the parts of a key, the longest first where one begins with another. */
const separators = ["__", "_", "!", "|", ":", "~", ";", ",", "@", "--", "-", "."];

/** Rows that a composite key must be seen in, where its parts are nothing but text. */
const fewRows = 5;

/**
 * What the keys of rows of one class are made of.
 *
 * @param keys - those of the rows, equal ones included
 * @param isRowKey - one PartitionKey for all rows may be that of the first customer; one RowKey is the class's
 */
export function guessKey(keys: readonly string[], isRowKey: boolean): KeyGuess {
  const texts = [...new Set(keys)];
  const whole = formatOf(texts, isRowKey && keys.length > 1);
  const isOneValue = whole.code !== "text()" || isDates(texts) || texts.includes("");
  if (isOneValue) return { parts: [whole], separator: undefined };
  const composites = separators.flatMap((separator) => compositeOf(texts, separator) ?? []);
  const best = composites.toSorted((a, b) => knownParts(b) - knownParts(a)).at(0);
  const isLikely = best !== undefined && (knownParts(best) > 0 || (isRowKey && texts.length >= fewRows));
  return isLikely ? best : { parts: [whole], separator: undefined };
}

const isDates = (texts: readonly string[]): boolean =>
  texts.every((each) => /^(19|20)\d\d-[01]\d(-[0-3]\d)?(T[\d:.]+Z?)?$/.test(each));

/** The parts between separators; undefined where not all keys have as many. */
function compositeOf(texts: readonly string[], separator: string): KeyGuess | undefined {
  const split = texts.map((each) => each.split(separator));
  const count = split[0]?.length ?? 0;
  if (count < 2 || split.some((parts) => parts.length !== count || parts.includes(""))) return undefined;
  const parts = Array.from({ length: count }, (_, i) => {
    const own = [...new Set(split.map((each) => each[i] as string))];
    return formatOf(own, texts.length > 1);
  });
  return { parts, separator };
}

const knownParts = ({ parts }: KeyGuess): number => parts.filter(({ code }) => code !== "text()").length;
