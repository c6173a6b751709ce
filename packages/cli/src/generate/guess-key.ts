import { formatOf, type PartFormat } from "./part-formats.ts";

/** The structure of a key. */
export interface KeyGuess {
  readonly parts: readonly PartFormat[];
  /** The separator between parts. Undefined for a single part. */
  readonly separator: string | undefined;
}

/** Common separators between the parts of a key. If one is a prefix of another, the longer is first. */
const separators = ["__", "_", "!", "|", ":", "~", ";", ",", "@", "--", "-", "."];

/** If the parts of a composite key are plain text, at least this many rows must have it. */
const fewRows = 5;

/**
 * Guesses the structure of the keys of one class.
 *
 * @param keys - the keys of the rows, duplicates included
 * @param isRowKey - one PartitionKey for all rows may be that of the first customer, but one RowKey for all
 * rows belongs to the class
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

/** The parts between separators. Undefined if the keys have different numbers of parts. */
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
