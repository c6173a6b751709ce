import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { TextStream } from "../files/text-stream.ts";
import { RequestError } from "../request-error.ts";
import { runRoute, responseOf, type Response, type Routes } from "./run-route.ts";
import { checkRequest, type StudioAddress } from "./check-request.ts";
import type { PageFile } from "./page-files.ts";
import { readBody } from "./read-body.ts";
import { securityHeaders } from "./security-headers.ts";

/** The files and routes of responses. */
export interface Answering {
  readonly address: StudioAddress;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly routes: Routes;
  readonly changing: ReadonlySet<string>;
  readonly isReadOnly: boolean;
}

/**
 * Responds to HTTP requests with the page's files, and with the API as JSON. Each request is checked first.
 */
export function requestListener(answering: Answering): RequestListener {
  return (request, response) => {
    respond(answering, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, responseOf(error));
    });
  };
}

async function respond(
  { address, files, routes, changing, isReadOnly }: Answering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const [path = "/", search] = url.split("?");
  checkRequest({ method, path, headers }, address);
  if (path.startsWith("/api/")) {
    const body = await readBody(request, new URLSearchParams(search));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked = { method, path: path.slice("/api/".length), body, signal: gone.signal };
    const result = await runRoute(routes, changing, asked, isReadOnly);
    // A client that still sends a file would not read the response.
    request.resume();
    if (TextStream.is(result.json)) await sendText(response, result.json);
    else sendJson(response, result);
    return;
  }
  const [, , name = ""] = path.split("/");
  const file = files.get(name === "" ? "index.html" : name);
  if (file === undefined) throw RequestError.notFound("such page");
  response.writeHead(200, { ...securityHeaders, "content-type": file.type });
  response.end(method === "HEAD" ? undefined : file.bytes);
}

/** Sends text while it is made. An error before its start is a response, and a later one closes the connection. */
async function sendText(response: ServerResponse, { chunks }: TextStream): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  response.writeHead(200, { ...securityHeaders, "content-type": "text/plain; charset=utf-8" });
  const rest = async function* (): AsyncGenerator<string> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  await pipeline(rest, response);
}

function sendJson(response: ServerResponse, { status, json }: Response): void {
  response.writeHead(status, { ...securityHeaders, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(json));
}
