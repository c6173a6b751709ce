import { KnownHead, type Part, partOf } from "./multipart.ts";
import { ServiceFault } from "./service-fault.ts";

/** The request in a part of a batch, as text. */
export interface InnerHttp {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Reads the request line, headers and body in a part.
 *
 * @param known - the headers of an earlier part
 * @throws ServiceFault `InvalidInput`
 */
export function innerHttpOf({ content }: Part, known: KnownHead = new KnownHead()): InnerHttp {
  const text = content.replace(/^(?:[ \t]*\r?\n)+/, "");
  const end = text.indexOf("\n");
  const line = (end < 0 ? text : text.slice(0, end)).trimEnd();
  const found = /^([A-Z]{3,7}) (\S.*) HTTP\/1\.1$/.exec(line);
  if (found === null) throw new ServiceFault("InvalidInput");
  const rest = end < 0 ? "" : text.slice(end + 1);
  // Headers may be missing; then an empty line follows.
  const { headers, content: body } = /^\s*\n/.test(rest)
    ? { headers: none, content: rest }
    : partOf(rest, known);
  return { method: found[1] as string, url: found[2] as string, headers, body: body.trim() };
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * The path and query of a part's URL, from the account on. The URL may be absolute, or start at the host's root with or
 * without the account, or start at the account. Its host does not matter: with a mapped port it differs from the
 * server's own, and the batch's signature applies to this account anyway.
 */
export function pathInAccount(url: string, account: string): string {
  const absolute = /^https?:\/\/[^/?#@\s]+(\/.*)$/is.exec(url);
  const path = absolute?.[1] ?? (url.startsWith("/") ? url : `/${url}`);
  return path.startsWith(`/${account}/`) ? path.slice(account.length + 1) : path;
}
