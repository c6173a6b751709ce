import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { RequestError } from "../request-error.ts";

/** The address and secrets of a studio. */
export interface StudioAddress {
  readonly port: number;
  /** Sent as `Authorization: Bearer …` with each request of the API, never in a URL. */
  readonly token: string;
  /** The first part of the path of the page's files, as hard to guess as the token. */
  readonly pageKey: string;
}

/** The parts of a request that are checked. */
export interface IncomingParts {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Accepts only the studio's own page. Refuses other names of this host (DNS rebinding), other origins, and
 * requests without the token.
 *
 * @throws RequestError 403 for a foreign host or origin, 401 without the token
 */
export function checkRequest({ method, path, headers }: IncomingParts, address: StudioAddress): void {
  const host = headers.host?.toLowerCase();
  const hosts = loopbackNames.map((name) => `${name}:${address.port}`);
  if (host === undefined || !hosts.includes(host))
    throw new RequestError(403, "studio.foreign-host", "This host name is not allowed.");
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) throw foreignOrigin();
  const site = headers["sec-fetch-site"];
  // A link on another site may open the address. All other requests from other sites are refused.
  const isOpened = site === "none" || headers["sec-fetch-mode"] === "navigate";
  if (site !== undefined && site !== "same-origin" && !isOpened) throw foreignOrigin();
  if (path.startsWith("/api/")) checkToken(headers.authorization, address.token);
  else checkPage(method, path, address.pageKey);
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

const foreignOrigin = (): RequestError =>
  new RequestError(403, "studio.foreign-origin", "Requests from other sites are not allowed.");

function checkToken(authorization: string | undefined, token: string): void {
  if (!isSame(authorization ?? "", `Bearer ${token}`))
    throw new RequestError(
      401,
      "studio.no-token",
      "The token is missing or wrong. Open the address that partita studio printed.",
    );
}

function checkPage(method: string, path: string, pageKey: string): void {
  const [, key = ""] = path.split("/");
  if (!isSame(key, pageKey)) throw RequestError.notFound("such page");
  if (method !== "GET" && method !== "HEAD")
    throw new RequestError(405, "studio.method", "The page's files are read-only.");
}

/** Compares in a time that does not depend on the first difference. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
