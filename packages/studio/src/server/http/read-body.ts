import type { IncomingMessage } from "node:http";
import { RequestError } from "../request-error.ts";

/**
 * Maximum bytes of a request's body. A row of the service has up to 1 MiB, and a multi-edit lists up to 1,000
 * rows.
 */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Reads the JSON of a request. A file is not read here: it is the member `source`, next to the parameters of
 * the URL.
 *
 * @throws RequestError for anything else, or for more than 8 MiB of JSON
 */
export async function readBody(request: IncomingMessage, search: URLSearchParams): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  if (request.headers["content-type"] === "application/octet-stream")
    return { ...Object.fromEntries(search), source: request };
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    throw new RequestError(415, "studio.not-json", "The request's body must be application/json.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes)
      throw new RequestError(413, "studio.body-too-large", "The request's body is larger than 8 MiB.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    throw new RequestError(400, "studio.not-json", "The request's body is not JSON.");
  }
}
