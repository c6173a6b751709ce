import { TransferError } from "./transfer-error.ts";
import { lineOfJson } from "./json-lines.ts";
import { countOf, type Line, type LineReader } from "./text-lines.ts";

/*
 * Rows as one JSON list, as other programs export them: `[{…},{…}]`, or a response of the service,
 * `{"value":[…]}`. Rows are read one by one, without holding the complete list.
 */

/** The text before the first row. */
const head = /^\s*(?:\{\s*(?:"odata\.metadata"\s*:\s*"[^"]*"\s*,\s*)?"value"\s*:\s*)?\[/;

/** Whether a file starts like a list of rows. */
export const isJsonArray = (text: string): boolean => head.test(text);

/** Reads rows from a JSON list. */
export class JsonArrayReader implements LineReader {
  line = 1;
  #state: "head" | "rows" | "end" = "head";

  next(text: string, from: number, isEnd: boolean): Line | undefined {
    if (this.#state === "head") {
      this.#state = "rows";
      return this.#pass(text, from, from + (head.exec(text.slice(from))?.[0].length ?? 0));
    }
    // Text after the list, such as the link to the next part, belongs to no row.
    if (this.#state === "end") return this.#pass(text, from, text.length);
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
    if (this.#state !== "end") throw TransferError.badText(this.line, "the list of rows is not closed");
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
