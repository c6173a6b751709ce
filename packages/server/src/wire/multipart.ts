import { ServiceFault } from "./service-fault.ts";

/** One part of a multipart body: its headers by lower-case name, and its content. */
export interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly content: string;
}

/** The boundary in a content type with any other parameters, such as a charset. @throws ServiceFault `InvalidInput` */
export function boundaryOf(contentType: string | undefined): string {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim());
  const boundaries = parameters.filter((parameter) => /^boundary\s*=/i.test(parameter));
  const boundary = boundaries[0]?.replace(/^boundary\s*=\s*/i, "").replace(/^"(.*)"$/, "$1");
  const isLegal = boundary !== undefined && boundaries.length === 1 && /^[^\s",]{1,200}$/.test(boundary);
  if (type?.toLowerCase() !== "multipart/mixed" || !isLegal) throw new ServiceFault("InvalidInput");
  return boundary;
}

/**
 * Splits a multipart body into its parts, as bytes: converting each to a short text is much faster in V8 than one long
 * text. Lines end with CRLF or LF. Blank lines before a part's first line and a missing end mark are tolerated, since
 * the service's own clients send them.
 *
 * @throws ServiceFault `InvalidInput`
 */
export function partsOf(body: Buffer, boundary: string): Buffer[] {
  const parts: Buffer[] = [];
  let start: number | undefined;
  let isOver = false;
  for (const mark of marksOf(body, Buffer.from(`--${boundary}`))) {
    if (start !== undefined) parts.push(body.subarray(start, Math.max(start, mark.start - 1)));
    start = mark.isEnd ? undefined : mark.end;
    if (isOver && !mark.isEnd) throw new ServiceFault("InvalidInput");
    isOver ||= mark.isEnd;
  }
  // An end mark without its last hyphens starts an empty part.
  const rest = start === undefined ? undefined : body.subarray(start);
  if (rest !== undefined && rest.toString().trim() !== "") parts.push(rest);
  if (parts.length === 0) throw new ServiceFault("InvalidInput");
  return parts;
}

/** A line that starts a part, or ends the last one. */
interface Mark {
  /** The start of the line, and of the next one. */
  readonly start: number;
  readonly end: number;
  readonly isEnd: boolean;
}

function* marksOf(body: Buffer, mark: Buffer): Generator<Mark> {
  for (let start = body.indexOf(mark); start >= 0; start = body.indexOf(mark, start + 1)) {
    if (start > 0 && body[start - 1] !== newLine) continue;
    const lineEnd = body.indexOf(newLine, start);
    const end = lineEnd < 0 ? body.length : lineEnd + 1;
    const rest = body.toString("utf8", start + mark.length, end).trimEnd();
    if (rest === "" || rest === "--") yield { start, end, isEnd: rest !== "" };
  }
}

const newLine = 0x0a;

/** Reads a part that has parts itself: its headers, and the bytes after them. @throws ServiceFault `InvalidInput` */
export function outerPartOf(part: Buffer): Omit<Part, "content"> & { readonly bytes: Buffer } {
  const beginning = part.toString("utf8", 0, usualHead);
  const text = endOfHead.test(beginning) ? beginning : part.toString();
  const { headers, content } = partOf(text, new KnownHead());
  return { headers, bytes: part.subarray(Buffer.byteLength(text.slice(0, text.length - content.length))) };
}

/** A line followed by a blank one. */
const endOfHead = /^[^\S\n]*\S[^\n]*\n[^\S\n]*\n/m;

/** The usual maximum size of such a part's headers, in bytes. */
const usualHead = 16 * 1024;

/** Caches the last head: most parts of a body begin with the same one, which then need not be parsed again. */
export class KnownHead {
  /** From its first line to the blank line after it. */
  text = "";
  headers: ReadonlyMap<string, string> = new Map();
}

/** A longer head is parsed each time. */
const maxKnownHead = 2048;

/** Reads the headers up to the first blank line, and the content after it. @throws ServiceFault `InvalidInput` */
export function partOf(text: string, known: KnownHead): Part {
  const start = skipBlank(text, 0);
  if (known.text !== "" && text.startsWith(known.text, start))
    return { headers: known.headers, content: text.slice(start + known.text.length) };
  const headers = new Map<string, string>();
  let at = start;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const line = (end < 0 ? text.slice(at) : text.slice(at, end)).trimEnd();
    at = end < 0 ? text.length : end + 1;
    if (line === "") {
      // The head is the same, with any content after the blank line.
      if (end >= 0 && at - start <= maxKnownHead) {
        known.text = text.slice(start, at);
        known.headers = headers;
      }
      break;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!/^[\w-]+$/.test(name) || headers.has(name)) throw new ServiceFault("InvalidInput");
    headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, content: text.slice(at) };
}

/** The start of the first line that is not blank. */
function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    const end = text.indexOf("\n", at);
    if (end < 0 || text.slice(at, end).trim() !== "") return at;
    at = end + 1;
  }
}
