import type { IncomingMessage } from "node:http";
import { RequestError } from "../request-error.ts";

/** Bytes of a request's body at most: a row of the service has 1 MiB, and a multi-edit names 1,000 rows. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Reads the JSON of a request. @throws RequestError for anything else, or for more than 8 MiB */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") return undefined;
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    throw new RequestError(415, "studio.not-json", "A request's body is application/json.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes)
      throw new RequestError(413, "studio.body-too-large", "A request's body has 8 MiB at most.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    throw new RequestError(400, "studio.not-json", "The request's body is not JSON.");
  }
}
