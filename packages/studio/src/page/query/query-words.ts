/** A word of a query that is being written. */
export interface QueryWord {
  readonly type: "name" | "constant" | "(" | ")" | ",";
  readonly text: string;
}

/** The words before the caret, and the one that the user is writing. */
export interface WrittenQuery {
  readonly before: readonly QueryWord[];
  /** An unfinished word, or an unfinished text with its quotation mark. Empty after a blank. */
  readonly current: string;
}

const words =
  /\s+|(?<text>[A-Za-z]*'(?:[^']|'')*(?:'|$))|(?<name>[\p{L}_][\p{L}\p{N}_.]*)|(?<number>-?[\d.]+[\w.]*)|(?<mark>[(),])|./gu;

/** Splits a query up to the caret. Unlike the server, it accepts unfinished and wrong text. */
export function wordsBefore(text: string): WrittenQuery {
  const found = [...text.matchAll(words)].filter(({ 0: word }) => word.trim() !== "");
  const last = found.at(-1);
  const isOpen = last !== undefined && last.index + last[0].length === text.length && isUnfinished(last);
  const before = (isOpen ? found.slice(0, -1) : found).map(wordOf);
  return { before, current: isOpen ? last[0] : "" };
}

const isUnfinished = ({ 0: word, groups }: RegExpMatchArray): boolean =>
  groups?.["text"] === undefined ? groups?.["mark"] === undefined : !isClosed(word);

/** Whether a text ends with a quotation mark that is not one of a pair inside it. */
const isClosed = (word: string): boolean => /^[A-Za-z]*'(?:[^']|'')*'$/.test(word);

function wordOf({ 0: text, groups }: RegExpMatchArray): QueryWord {
  if (groups?.["mark"] !== undefined) return { type: text as "(", text };
  const isConstant = groups?.["name"] === undefined || /^(true|false)$/i.test(text);
  return { type: isConstant ? "constant" : "name", text };
}
