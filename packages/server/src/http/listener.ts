import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { BodyMemory, type JoinedBody } from "./body-memory.ts";
import { Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { type Health, isHealthRequest } from "./health.ts";
import { type FaultyConnection, isConnectionFault } from "../wire/connection-fault.ts";
import type { ResponseForms } from "../wire/response-forms.ts";
import { type Admit, maxBodyBytes, type WireHead } from "./admission.ts";
import type { ProtocolResponse } from "../wire/protocol-request.ts";
import { headerOf, sendResponse } from "./send-response.ts";
import { createTlsServer, type TlsCertificate } from "./tls-server.ts";
import { isLoopback, namesHost, namesLoopback } from "./hosts.ts";
import { Semaphore } from "@partita/core/internal";
import type { ServerCode } from "../wire/server-codes.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/**
 * The part of a too long body that is read and dropped, in bytes. A client that is still sending could otherwise not
 * read the refusal.
 */
const maxDroppedBytes = 16 * maxBodyBytes;
const maxSockets = 1000;
/** Maximum number of requests in progress; others wait. Requests with incomplete bodies do not count. */
const maxRequests = 100;
/** Maximum number of scans among them: each does some milliseconds of work per turn of the event loop. */
const maxScans = 2;
/** How long a connection may stay silent at first, in milliseconds. Slow headers and bodies have their own limits. */
const firstByteMs = 3_000;
/** Maximum size of all bodies in memory, complete and incomplete, in bytes. */
const maxHeldBytes = maxRequests * maxBodyBytes;

/** Options of a listener. */
export interface ListenerOptions {
  /** The function that starts it, for messages. */
  readonly call: string;
  readonly host: string;
  /** The certificate for https; http when undefined. */
  readonly tls: TlsCertificate | undefined;
  /** Returns milliseconds since 1970, for the Date header of responses. */
  readonly now: () => number;
  /** The form of the service's responses. */
  readonly forms: ResponseForms;
  readonly health: Health;
}

/** A server, with its connections. */
export interface Listener {
  readonly listener: Server;
  readonly connections: Connections;
  /** Refuses new connections, and ends those without a request in progress. */
  readonly stopAccepting: () => void;
}

/**
 * Creates an HTTP server for possibly hostile clients, with limits on sockets, bytes and time. It refuses requests for
 * a proxy. If it listens to this machine only, it also refuses foreign hosts, so no web page reaches it through its own
 * domain.
 *
 * @throws TypeError for an invalid certificate
 */
export function createListener(
  admit: Admit,
  { call, host, tls, now, forms, health }: ListenerOptions,
): Listener {
  const load: Load = {
    requests: new Semaphore(maxRequests),
    scans: new Semaphore(maxScans),
    heldBytes: 0,
    memory: new BodyMemory(),
  };
  const isNamed = isLoopback(host) ? namesLoopback : namesHost;
  const connections = new Connections();
  const endAll = (): void => connections.destroyAll();
  const reply = (message: IncomingMessage, response: ServerResponse): void => {
    // A client may leave at any time.
    message.on("error", () => undefined);
    response.on("error", () => undefined);
    if (!connections.begin(message, response)) return;
    const isLast = (): boolean => connections.endsWith(message);
    const exchange = { message, response, date: dateOf(now()), forms, isLast };
    // A load balancer need not know the server's name.
    if (isHealthRequest(message.method, message.url)) return void respondToProbe(exchange, health);
    const refusal = refusalOf(message, isNamed);
    if (refusal === undefined) void serve(exchange, load, admit, endAll);
    else void refuse(exchange, refusal);
  };
  const listener =
    tls === undefined ? createServer(limits, reply) : createTlsServer(call, tls, limits, reply);
  listener.maxConnections = maxSockets;
  // With TLS, this comes before the handshake.
  listener.on("connection", (socket: Socket) => {
    connections.add(socket);
    const silence = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, firstByteMs);
    socket.once("close", () => clearTimeout(silence));
  });
  const stopAccepting = (): void => {
    // An HTTP server's own `close` also ends connections that are still sending a response.
    NetServer.prototype.close.call(listener);
    connections.endIdle();
  };
  return { listener, connections, stopAccepting };
}

async function respondToProbe(exchange: Exchange, health: Health): Promise<void> {
  exchange.message.resume();
  sendResponse(exchange, await health.response());
}

/** The date of the last response, which most responses share with the one before. */
let lastDate = { second: Number.NaN, text: "" };

function dateOf(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(ms).toUTCString() };
  return lastDate.text;
}

const limits: ServerOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 60_000,
  insecureHTTPParser: false,
  joinDuplicateHeaders: true,
};

function refusalOf(
  { url = "", headers }: IncomingMessage,
  isNamed: (host: string) => boolean,
): ServerCode | undefined {
  // Such a URL is meant for a proxy.
  if (!url.startsWith("/")) return "InvalidUri";
  if (!isNamed(headers.host ?? "")) return "InvalidHeaderValue";
  return Number(headers["content-length"] ?? 0) > maxBodyBytes ? "RequestBodyTooLarge" : undefined;
}

/** The present load of the server. */
interface Load {
  readonly requests: Semaphore;
  /** A separate limit for scans, so they leave capacity for other requests. */
  readonly scans: Semaphore;
  heldBytes: number;
  readonly memory: BodyMemory;
}

async function serve(exchange: Exchange, load: Load, admit: Admit, endAll: () => void): Promise<void> {
  const { message, response, date } = exchange;
  const admission = await admit(headOf(message));
  if ("refusal" in admission) return refuseEarly(exchange, admission.refusal);
  const { maxBodyBytes: maxBytes, isScan, response: reply } = admission;
  if (lengthOf(message) > maxBytes) return refuse(exchange, "RequestBodyTooLarge");
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk);
    bytes += chunk.length;
    load.heldBytes += chunk.length;
    return bytes <= maxBytes && load.heldBytes <= maxHeldBytes;
  };
  try {
    const isComplete = await readBody(message, take);
    if (isComplete)
      await (isScan ? load.scans : load.requests).run(() => respondWith(load.memory.join(chunks, bytes)));
    else await refuse(exchange, bytes > maxBytes ? "RequestBodyTooLarge" : "ServerBusy");
  } catch {
    // The client left before its body was complete.
    socketOf(message)?.destroy();
  } finally {
    load.heldBytes -= bytes;
  }

  async function respondWith(body: JoinedBody): Promise<void> {
    const answered = await reply(body.bytes);
    body.release();
    if (isConnectionFault(answered)) {
      response.setHeader("Date", date);
      answered.applyTo(faultyConnection(exchange, endAll));
    } else sendResponse(exchange, answered);
  }
}

const faultyConnection = (exchange: Exchange, endAll: () => void): FaultyConnection => ({
  socket: socketOf(exchange.message),
  response: exchange.response,
  success: exchange.forms.beginning(exchange.message.method ?? "", exchange.message.url ?? ""),
  refuse: (code) => sendResponse(exchange, refusal(exchange, code)),
  endAll,
});

const headOf = (message: IncomingMessage): WireHead => ({
  method: message.method ?? "",
  url: message.url ?? "",
  header: headerOf(message),
  headers: () => pairsOf(message.rawHeaders),
  address: socketOf(message)?.remoteAddress ?? "",
});

const lengthOf = ({ headers }: IncomingMessage): number => Number(headers["content-length"] ?? 0);

/** Null once the client has left, despite its type. */
const socketOf = ({ socket }: IncomingMessage): Socket | null => socket;

/** Whether the whole body was accepted. */
async function readBody(message: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<boolean> {
  // Without these headers, a request has no body.
  const { headers } = message;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
    message.resume();
    return true;
  }
  for await (const chunk of chunksOf(message)) if (!take(chunk)) return false;
  return true;
}

/** The chunks of a body. Stopping early leaves the connection open. */
const chunksOf = (message: IncomingMessage): AsyncIterable<Buffer> =>
  message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

const pairsOf = (raw: readonly string[]): (readonly [name: string, value: string])[] =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as const] : []));

/** Responds immediately. The rest of the body is dropped, unless it does not end. */
function refuseEarly(exchange: Exchange, reply: ProtocolResponse): void {
  const { message } = exchange;
  sendResponse(exchange, reply);
  let left = maxDroppedBytes;
  message.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socketOf(message)?.destroy();
  });
}

async function refuse(exchange: Exchange, code: ServerCode): Promise<void> {
  if (code === "RequestBodyTooLarge") await dropBody(exchange.message);
  end(exchange, refusal(exchange, code));
}

/** A refusal in the service's form, without regard to the query's format. */
const refusal = ({ message, forms }: Exchange, code: ServerCode): ProtocolResponse =>
  forms.refuse(new ServiceFault(code), { header: headerOf(message), query: new Map() });

/** Responds, and closes the connection, which cannot be reused because the body may not have been read completely. */
function end(exchange: Exchange, reply: ProtocolResponse): void {
  const { message, response } = exchange;
  response.shouldKeepAlive = false;
  sendResponse(exchange, reply);
  const socket = socketOf(message);
  socket?.once("drain", () => socket.destroySoon());
  message.resume();
}

/** Reads the rest of a refused body, unless it is very long. */
async function dropBody(message: IncomingMessage): Promise<void> {
  let left = maxDroppedBytes;
  if (lengthOf(message) > left) return;
  try {
    for await (const chunk of chunksOf(message)) if ((left -= chunk.length) < 0) return;
  } catch {
    // The client left before its body was complete, so no response is needed.
  }
}
