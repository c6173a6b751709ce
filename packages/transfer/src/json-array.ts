import { TransferError } from "./transfer-error.ts";
import { lineOfJson } from "./json-lines.ts";
import { countOf, type Line, type LineReader } from "./text-lines.ts";

/*
 * Rows as one JSON list, as other programs export them: `[{…},{…}]`, or a response of the service,
 * `{"value":[…]}`. Rows are read one by one, without holding the complete list.
 */

/** The text before the first row. */
const head = /^\s*(\{\s*(?:"odata\.metadata"\s*:\s*"[^"]*"\s*,\s*)?"value"\s*:\s*)?\[/;

/** Whether a file starts like a list of rows. */
export const isJsonArray = (text: string): boolean => head.test(text);

/** Reads rows from a JSON list. */
export class JsonArrayReader implements LineReader {
  line = 1;
  #state: "head" | "rows" | "end" | "complete" = "head";
  #isWrapped = false;

  next(text: string, from: number, isEnd: boolean): Line | undefined {
    if (this.#state === "head") {
      this.#state = "rows";
      const [found = "", wrapper] = head.exec(text.slice(from)) ?? [];
      this.#isWrapped = wrapper !== undefined;
      return this.#pass(text, from, from + found.length);
    }
    if (this.#state === "end") return isEnd ? this.#rest(text, from) : undefined;
    const start = firstOf(text, from);
    if (text[start] === "]") {
      this.#state = "end";
      return this.#pass(text, from, start + 1);
    }
    if (text[start] === ",") return this.#pass(text, from, start + 1);
    const end = endOfValue(text, start);
    if (end === start) throw TransferError.badText(this.line, "a bracket closes nothing");
    if (end !== undefined) return this.#row(text, from, start, end);
    if (isEnd) this.end();
    return undefined;
  }

  end(): void {
    if (this.#state === "end") this.#rest("", 0);
    else if (this.#state !== "complete") throw TransferError.badText(this.line, notClosed);
  }

  /** The text after the list has no rows, but a response may link to its next page. */
  #rest(text: string, from: number): { readonly length: number } {
    const rest = text.slice(from);
    if (!isWithoutRows(`${this.#isWrapped ? '{"value":[]' : "[]"}${rest}`))
      throw TransferError.badText(this.line, rest.trim() === "" ? notClosed : moreText);
    this.#state = "complete";
    return this.#pass(text, from, text.length);
  }

  #row(text: string, from: number, start: number, end: number): Line {
    const { length } = this.#pass(text, from, start);
    const line = lineOfJson(text.slice(start, end), this.line, end - from);
    this.#pass(text, from + length, end);
    return line;
  }

  #pass(text: string, from: number, to: number): { readonly length: number } {
    this.line += countOf("\n", text.slice(from, to));
    return { length: to - from };
  }
}

const notClosed = "the list of rows is not closed";
const moreText = "more text follows the list of rows. Put each list into its own file";

/** Whether a text is an empty list, or an object with an empty list and no other structure. */
function isWithoutRows(json: string): boolean {
  try {
    return Object.entries(JSON.parse(json) as object).every(([name, value]) =>
      name === "value"
        ? (value as readonly unknown[]).length === 0
        : value === null || typeof value !== "object",
    );
  } catch {
    return false;
  }
}

/** The position of the first character that is not white space. The end of the text if there is none. */
function firstOf(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= space) at++;
  return at;
}

/**
 * The end of a value: after its closing bracket, or before the comma or bracket after it. Undefined if the
 * value is incomplete.
 */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      at = closingQuote(text, at);
      if (at === -1) return undefined;
    } else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      if (depth <= 1) return depth === 0 ? at : at + 1;
      depth--;
    } else if (character === "," && depth === 0) return at;
  }
  return undefined;
}

/** The position of the closing quotation mark. -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const space = 0x20;
