import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { RequestError } from "../request-error.ts";

/** What a studio answers to. */
export interface StudioAddress {
  readonly port: number;
  /** Sent as `Authorization: Bearer …` with each request of the API; it never stands in a request's URL. */
  readonly token: string;
  /** The first part of the path of the page's files, as hard to guess as the token. */
  readonly pageKey: string;
}

/** The parts of a request that decide whether it is answered. */
export interface IncomingParts {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses what is not the studio's own page: other names of this host (DNS rebinding), other origins, and whoever has no token.
 *
 * @throws RequestError 403 for a foreign host or origin, 401 without the token
 */
export function checkRequest({ method, path, headers }: IncomingParts, address: StudioAddress): void {
  const host = headers.host?.toLowerCase();
  const hosts = loopbackNames.map((name) => `${name}:${address.port}`);
  if (host === undefined || !hosts.includes(host))
    throw new RequestError(403, "studio.foreign-host", "This host name is not answered.");
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) throw foreignOrigin();
  const site = headers["sec-fetch-site"];
  // A link in another program's page may open the address; nothing else of another site is answered.
  const isOpened = site === "none" || headers["sec-fetch-mode"] === "navigate";
  if (site !== undefined && site !== "same-origin" && !isOpened) throw foreignOrigin();
  if (path.startsWith("/api/")) checkToken(headers.authorization, address.token);
  else checkPage(method, path, address.pageKey);
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

const foreignOrigin = (): RequestError =>
  new RequestError(403, "studio.foreign-origin", "Requests of other sites are not answered.");

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
    throw new RequestError(405, "studio.method", "The page's files are only read.");
}

/** Compares in a time that does not depend on where two texts differ. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
