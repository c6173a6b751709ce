import { KnownHead, type Part, partOf } from "./multipart.ts";
import { ServiceFault } from "./service-fault.ts";

/** The request that a part of a batch holds, as text. */
export interface InnerHttp {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Reads the request line, headers and body inside of a part.
 *
 * @param known - the headers of a part before it
 * @throws ServiceFault `InvalidInput`
 */
export function innerHttpOf({ content }: Part, known: KnownHead = new KnownHead()): InnerHttp {
  const text = content.replace(/^(?:[ \t]*\r?\n)+/, "");
  const end = text.indexOf("\n");
  const line = (end < 0 ? text : text.slice(0, end)).trimEnd();
  const found = /^([A-Z]{3,7}) (\S.*) HTTP\/1\.1$/.exec(line);
  if (found === null) throw new ServiceFault("InvalidInput");
  const rest = end < 0 ? "" : text.slice(end + 1);
  // A line of its own, or none: headers may be missing altogether.
  const { headers, content: body } = /^\s*\n/.test(rest)
    ? { headers: none, content: rest }
    : partOf(rest, known);
  return { method: found[1] as string, url: found[2] as string, headers, body: body.trim() };
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * The path and query of a part's address, from the account on. It may be absolute, from the host's root with the account
 * or without, or from the account. Its host does not matter: behind a mapped port it is another than the server's own, and
 * the batch's signature is for this account anyway.
 */
export function pathInAccount(url: string, account: string): string {
  const absolute = /^https?:\/\/[^/?#@\s]+(\/.*)$/is.exec(url);
  const path = absolute?.[1] ?? (url.startsWith("/") ? url : `/${url}`);
  return path.startsWith(`/${account}/`) ? path.slice(account.length + 1) : path;
}
