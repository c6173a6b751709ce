import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { wireHeaders } from "../wire/header-names.ts";
import type { ProtocolResponse } from "../wire/protocol-request.ts";
import { identityHeaders } from "../wire/request-version.ts";
import type { Exchange } from "./exchange.ts";

/** Sends a response, with the headers that all responses of a service have, including refusals. */
export function sendResponse(
  { message, response, date, forms, isLast }: Exchange,
  reply: ProtocolResponse,
): void {
  if (isLast()) response.shouldKeepAlive = false;
  const { status, headers, body = "" } = reply;
  const all = {
    date,
    server: `${forms.product} Microsoft-HTTPAPI/2.0`,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "x-ms-request-id": randomUUID(),
    ...identityHeaders(message.url ?? "", headerOf(message), forms.initialVersion),
    ...(status !== 204 && { "content-length": String(Buffer.byteLength(body)) }),
    // A response to HEAD states the length itself.
    ...headers,
  };
  response.writeHead(status, wireHeaders(all));
  // Headers and text are sent in one write.
  response.end(status === 204 ? undefined : body);
}

/** A header of a request; repeated values are joined with commas. */
export const headerOf =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(",") : value;
  };
