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
 * The parts of a multipart body. Lines end with CRLF or LF; blank lines before a part's first line and a missing end
 * mark are tolerated, as the service's own clients write them.
 *
 * @throws ServiceFault `InvalidInput`
 */
export function partsOf(body: string, boundary: string): Part[] {
  const lines = body.split("\n");
  const parts: string[][] = [];
  let isOver = false;
  for (const line of lines) {
    const bare = line.trimEnd();
    if (bare === `--${boundary}--`) isOver = true;
    else if (bare === `--${boundary}`) {
      if (isOver) throw new ServiceFault("InvalidInput");
      parts.push([]);
    } else if (!isOver) parts.at(-1)?.push(line);
  }
  // An end mark without its last hyphens begins a part of nothing.
  if (!isOver && parts.at(-1)?.every((line) => line.trim() === "") === true) parts.pop();
  if (parts.length === 0) throw new ServiceFault("InvalidInput");
  return parts.map((part) => partOf(part.join("\n")));
}

/** Headers up to the first blank line; what follows them. @throws ServiceFault `InvalidInput` */
export function partOf(text: string): Part {
  const headers = new Map<string, string>();
  let at = skipBlank(text, 0);
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const line = (end < 0 ? text.slice(at) : text.slice(at, end)).trimEnd();
    at = end < 0 ? text.length : end + 1;
    if (line === "") break;
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
