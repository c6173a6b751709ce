import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
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
  const [path = "/"] = url.split("?");
  checkRequest({ method, path, headers }, address);
  if (path.startsWith("/api/")) {
    const body = await readBody(request);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked = { method, path: path.slice("/api/".length), body, signal: gone.signal };
    sendJson(response, await runRoute(routes, changing, asked, isReadOnly));
    return;
  }
  const [, , name = ""] = path.split("/");
  const file = files.get(name === "" ? "index.html" : name);
  if (file === undefined) throw RequestError.notFound("such page");
  response.writeHead(200, { ...securityHeaders, "content-type": file.type });
  response.end(method === "HEAD" ? undefined : file.bytes);
}

function sendJson(response: ServerResponse, { status, json }: Response): void {
  response.writeHead(status, { ...securityHeaders, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(json));
}
