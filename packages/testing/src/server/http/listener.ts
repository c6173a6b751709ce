import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { InjectedFault } from "../../faults/injected-fault.ts";
import { faultAnswer } from "../wire/fault-answer.ts";
import { wireHeaders } from "../wire/header-names.ts";
import { makeFault } from "./make-fault.ts";
import type { WireRequest } from "../handlers/handle-request.ts";
import type { ProtocolAnswer } from "../wire/protocol-request.ts";
import { Turns } from "./turns.ts";
import { type ServerCode, ServiceFault } from "../wire/service-fault.ts";

/** A transaction's body at most, with room for its boundaries. */
const maxBodyBytes = 4 * 1024 * 1024 + 64 * 1024;
const maxSockets = 1000;
/** Requests that are answered at once; others wait. Those whose bodies are still coming do not count. */
const maxRequests = 100;
/** Bytes of bodies in memory at once, whole and unfinished. */
const maxHeldBytes = maxRequests * maxBodyBytes;

/** Answers a request, or says what is to go wrong with it. */
export type Handle = (request: WireRequest) => Promise<ProtocolAnswer | InjectedFault>;

/**
 * An HTTP server for clients of this machine, which may be hostile: bounded in sockets, bytes and time; it refuses
 * foreign hosts, so that no web page reaches it under a name of its own, and requests meant for a proxy.
 *
 * @param now - milliseconds since 1970, for the date of answers
 */
export function createListener(handle: Handle, now: () => number): Server {
  const load: Load = { turns: new Turns(maxRequests), heldBytes: 0 };
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
        void serve(message, response, load, handle, () => server.closeAllConnections());
      else refuse(message, response, refusal);
    },
  );
  server.maxConnections = maxSockets;
  return server;
}

function refusalOf({ url = "", headers }: IncomingMessage): ServerCode | undefined {
  // The form that proxies are sent.
  if (!url.startsWith("/")) return "InvalidUri";
  const host = headers.host?.replace(/:\d{1,5}$/, "").toLowerCase() ?? "";
  if (host !== "localhost" && host !== "[::1]" && !/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host))
    return "InvalidHeaderValue";
  return Number(headers["content-length"] ?? 0) > maxBodyBytes ? "RequestBodyTooLarge" : undefined;
}

/** What the server has to do at the moment. */
interface Load {
  readonly turns: Turns;
  heldBytes: number;
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  load: Load,
  handle: Handle,
  crash: () => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk);
    bytes += chunk.length;
    load.heldBytes += chunk.length;
    return bytes <= maxBodyBytes && load.heldBytes <= maxHeldBytes;
  };
  try {
    const isWhole = await readBody(message, take);
    if (isWhole) await load.turns.take(() => answerWith(Buffer.concat(chunks).toString("utf8")));
    else refuse(message, response, bytes > maxBodyBytes ? "RequestBodyTooLarge" : "ServerBusy");
  } catch {
    // The client left before its body had come.
    socketOf(message)?.destroy();
  } finally {
    load.heldBytes -= bytes;
  }

  async function answerWith(body: string): Promise<void> {
    const answer = await handle({
      method: message.method ?? "",
      url: message.url ?? "",
      header: headerOf(message),
      body,
      address: socketOf(message)?.remoteAddress ?? "",
    });
    if (answer instanceof InjectedFault) makeFault(answer.fault.kind, message, response, crash);
    else send(message, response, answer);
  }
}

/** Null once the client has left, whatever its type says. */
const socketOf = ({ socket }: IncomingMessage): Socket | null => socket;

/** Whether the whole body was taken. */
async function readBody(message: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<boolean> {
  for await (const chunk of message as AsyncIterable<Buffer>) if (!take(chunk)) return false;
  return true;
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
  const socket = socketOf(message);
  socket?.once("drain", () => socket.destroySoon());
  message.resume();
}

function send(message: IncomingMessage, response: ServerResponse, answer: ProtocolAnswer): void {
  const { status, headers, body = "" } = answer;
  const clientId = message.headers["x-ms-client-request-id"];
  const isEchoed = message.headers["x-ms-return-client-request-id"] === "true";
  const bytes = Buffer.from(body);
  const all = {
    server: "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "x-ms-request-id": randomUUID(),
    ...(isEchoed &&
      typeof clientId === "string" &&
      clientId.length <= 1024 && { "x-ms-client-request-id": clientId }),
    ...headers,
    ...(status !== 204 && { "content-length": String(bytes.length) }),
  };
  response.writeHead(status, wireHeaders(all));
  response.end(status === 204 ? undefined : bytes);
}
