import { ServiceFault } from "./service-fault.ts";

/** One part of a multipart body: its headers by lower-case name, and what follows them. */
export interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly content: string;
}

/** The boundary that a content type names, among parameters such as a charset. @throws ServiceFault `InvalidInput` */
export function boundaryOf(contentType: string | undefined): string {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim());
  const boundaries = parameters.filter((parameter) => /^boundary\s*=/i.test(parameter));
  const boundary = boundaries[0]?.replace(/^boundary\s*=\s*/i, "").replace(/^"(.*)"$/, "$1");
  const isLegal = boundary !== undefined && boundaries.length === 1 && /^[^\s",]{1,200}$/.test(boundary);
  if (type?.toLowerCase() !== "multipart/mixed" || !isLegal) throw new ServiceFault("InvalidInput");
  return boundary;
}

/**
 * The parts of a multipart body, as bytes: one by one they become short texts, all at once a long one, which takes V8 many times as
 * long. Lines end with CRLF or LF; blank lines before a part's first line and a missing end mark are tolerated, as the service's
 * own clients write them.
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
  // An end mark without its last hyphens begins a part of nothing.
  const rest = start === undefined ? undefined : body.subarray(start);
  if (rest !== undefined && rest.toString().trim() !== "") parts.push(rest);
  if (parts.length === 0) throw new ServiceFault("InvalidInput");
  return parts;
}

/** A line that begins a part, or ends all of them. */
interface Mark {
  /** Where the line begins, and where the next one does. */
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

/** A part that has parts itself: its headers, and its bytes behind them. @throws ServiceFault `InvalidInput` */
export function outerPartOf(part: Buffer): Omit<Part, "content"> & { readonly bytes: Buffer } {
  const beginning = part.toString("utf8", 0, usualHead);
  const text = endOfHead.test(beginning) ? beginning : part.toString();
  const { headers, content } = partOf(text, new KnownHead());
  return { headers, bytes: part.subarray(Buffer.byteLength(text.slice(0, text.length - content.length))) };
}

/** A line, and a blank one behind it. */
const endOfHead = /^[^\S\n]*\S[^\n]*\n[^\S\n]*\n/m;

/** Bytes that the headers of such a part hardly ever pass. */
const usualHead = 16 * 1024;

/** The head that was read last: most parts of a body begin with the same one, and it need not be read again. */
export class KnownHead {
  /** From its first line to the blank one behind it. */
  text = "";
  headers: ReadonlyMap<string, string> = new Map();
}

/** A longer one is read each time. */
const maxKnownHead = 2048;

/** Headers up to the first blank line; what follows them. @throws ServiceFault `InvalidInput` */
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
      // Whatever comes behind a blank line, the head is the same.
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

/** Where the first line that is not blank begins. */
function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    const end = text.indexOf("\n", at);
    if (end < 0 || text.slice(at, end).trim() !== "") return at;
    at = end + 1;
  }
}
