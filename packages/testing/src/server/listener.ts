import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { InjectedFault } from "../faults/injected-fault.ts";
import { faultAnswer } from "./fault-answer.ts";
import { makeFault } from "./make-fault.ts";
import type { WireRequest } from "./handle-request.ts";
import type { ProtocolAnswer } from "./protocol-request.ts";
import { type ServerCode, ServiceFault } from "./service-fault.ts";

/** A transaction's body at most, with room for its boundaries. */
const maxBodyBytes = 4 * 1024 * 1024 + 64 * 1024;
const maxSockets = 1000;
/** Requests whose bodies are in memory at once; others wait. */
const maxRequests = 100;

/** Answers a request, or says what is to go wrong with it. */
export type Handle = (request: WireRequest) => Promise<ProtocolAnswer | InjectedFault>;

/**
 * An HTTP server for clients of this machine, which may be hostile: bounded in sockets, bytes and time; it refuses
 * foreign hosts, so that no web page reaches it under a name of its own, and requests meant for a proxy.
 *
 * @param now - milliseconds since 1970, for the date of answers
 */
export function createListener(handle: Handle, now: () => number): Server {
  const turns = new Turns(maxRequests);
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 60_000,
      insecureHTTPParser: false,
      joinDuplicateHeaders: true,
    },
    (message, response) => {
      response.setHeader("date", new Date(now()).toUTCString());
      // A client may leave at any time.
      message.on("error", () => undefined);
      response.on("error", () => undefined);
      const refusal = refusalOf(message);
      if (refusal === undefined)
        void turns.take(() => serve(message, response, handle, () => server.closeAllConnections()));
      else refuse(message, response, refusal);
    },
  );
  server.maxConnections = maxSockets;
  return server;
}

/** Lets so many go at once, and the others after them in their order. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(work: () => Promise<void>): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

function refusalOf({ url = "", headers }: IncomingMessage): ServerCode | undefined {
  // The form that proxies are sent.
  if (!url.startsWith("/")) return "InvalidUri";
  const host = headers.host?.replace(/:\d{1,5}$/, "").toLowerCase() ?? "";
  if (host !== "localhost" && host !== "[::1]" && !/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host))
    return "InvalidHeaderValue";
  return Number(headers["content-length"] ?? 0) > maxBodyBytes ? "RequestBodyTooLarge" : undefined;
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  handle: Handle,
  crash: () => void,
): Promise<void> {
  const body = await readBody(message).catch(() => undefined);
  if (body === undefined) message.socket.destroy();
  if (body === "too large") refuse(message, response, "RequestBodyTooLarge");
  if (body === undefined || body === "too large") return;
  const answer = await handle({
    method: message.method ?? "",
    url: message.url ?? "",
    header: headerOf(message),
    body,
    address: message.socket.remoteAddress ?? "",
  });
  if (answer instanceof InjectedFault) makeFault(answer.fault.kind, message, response, crash);
  else send(message, response, answer);
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return "too large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const headerOf =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(",") : value;
  };

function refuse(message: IncomingMessage, response: ServerResponse, code: ServerCode): void {
  // What is left of the body is not read: the connection cannot be used again.
  response.shouldKeepAlive = false;
  const header = headerOf(message);
  send(message, response, faultAnswer(new ServiceFault(code), { header, query: new Map() }));
  message.socket.once("drain", () => message.socket.destroySoon());
  message.resume();
}

function send(message: IncomingMessage, response: ServerResponse, answer: ProtocolAnswer): void {
  const { status, headers, body = "" } = answer;
  const clientId = message.headers["x-ms-client-request-id"];
  const isEchoed = message.headers["x-ms-return-client-request-id"] === "true";
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    server: "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "x-ms-request-id": randomUUID(),
    ...(isEchoed &&
      typeof clientId === "string" &&
      clientId.length <= 1024 && { "x-ms-client-request-id": clientId }),
    ...headers,
    ...(status !== 204 && { "content-length": String(bytes.length) }),
  });
  response.end(status === 204 ? undefined : bytes);
}
