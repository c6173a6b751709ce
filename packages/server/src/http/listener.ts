import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { BodyMemory, type JoinedBody } from "./body-memory.ts";
import type { Exchange } from "./exchange.ts";
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

/** Bytes of a longer body that are read and dropped: a client that is still sending would not get to read why. */
const maxDroppedBytes = 16 * maxBodyBytes;
const maxSockets = 1000;
/** Requests that are answered at once; others wait. Those whose bodies are still coming do not count. */
const maxRequests = 100;
/** Requests for many rows among them that are answered at once: each does some milliseconds of work in a turn of the loop. */
const maxScans = 2;
/** How long a connection may stay without a byte. Headers and bodies that come slowly have limits of their own. */
const firstByteMs = 3_000;
/** Bytes of bodies in memory at once, whole and unfinished. */
const maxHeldBytes = maxRequests * maxBodyBytes;

/** Where a server listens, and how. */
export interface ListenerOptions {
  /** The function that starts it, for messages. */
  readonly call: string;
  readonly host: string;
  /** https when present. */
  readonly tls: TlsCertificate | undefined;
  /** Milliseconds since 1970, for the date of answers. */
  readonly now: () => number;
  /** How the service answers. */
  readonly forms: ResponseForms;
}

/** A server, and what ends its connections, those included that have not sent a request yet. */
export interface Listener {
  readonly listener: Server;
  readonly closeConnections: () => void;
}

/**
 * An HTTP server for clients that may be hostile: bounded in sockets, bytes and time. It refuses requests meant for a
 * proxy and, where it listens to this machine only, foreign hosts, so that no web page reaches it under a name of its own.
 *
 * @throws TypeError for a certificate that is none
 */
export function createListener(admit: Admit, { call, host, tls, now, forms }: ListenerOptions): Listener {
  const load: Load = {
    requests: new Semaphore(maxRequests),
    scans: new Semaphore(maxScans),
    heldBytes: 0,
    memory: new BodyMemory(),
  };
  const isNamed = isLoopback(host) ? namesLoopback : namesHost;
  const reply = (message: IncomingMessage, response: ServerResponse): void => {
    const exchange = { message, response, date: dateOf(now()), forms };
    // A client may leave at any time.
    message.on("error", () => undefined);
    response.on("error", () => undefined);
    const refusal = refusalOf(message, isNamed);
    if (refusal === undefined) void serve(exchange, load, admit, closeConnections);
    else void refuse(exchange, refusal);
  };
  const listener =
    tls === undefined ? createServer(limits, reply) : createTlsServer(call, tls, limits, reply);
  listener.maxConnections = maxSockets;
  const sockets = new Set<Socket>();
  // Over TLS this comes before the handshake.
  listener.on("connection", (socket: Socket) => {
    sockets.add(socket);
    const silence = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, firstByteMs);
    socket.once("close", () => {
      clearTimeout(silence);
      sockets.delete(socket);
    });
  });
  const closeConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return { listener, closeConnections };
}

/** The date of the last answer: most have that of the one before. */
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
  // The form that proxies are sent.
  if (!url.startsWith("/")) return "InvalidUri";
  if (!isNamed(headers.host ?? "")) return "InvalidHeaderValue";
  return Number(headers["content-length"] ?? 0) > maxBodyBytes ? "RequestBodyTooLarge" : undefined;
}

/** What the server has to do at the moment. */
interface Load {
  readonly requests: Semaphore;
  /** Those of scans, so that they do not take those of others. */
  readonly scans: Semaphore;
  heldBytes: number;
  readonly memory: BodyMemory;
}

async function serve(exchange: Exchange, load: Load, admit: Admit, endAll: () => void): Promise<void> {
  const { message, response, date } = exchange;
  const admission = admit(headOf(message));
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
    // The client left before its body had come.
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

/** Null once the client has left, whatever its type says. */
const socketOf = ({ socket }: IncomingMessage): Socket | null => socket;

/** Whether the whole body was taken. */
async function readBody(message: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<boolean> {
  // What says nothing of a body has none.
  const { headers } = message;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
    message.resume();
    return true;
  }
  for await (const chunk of chunksOf(message)) if (!take(chunk)) return false;
  return true;
}

/** What comes of a body; to stop reading it leaves the connection as it is. */
const chunksOf = (message: IncomingMessage): AsyncIterable<Buffer> =>
  message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

const pairsOf = (raw: readonly string[]): (readonly [name: string, value: string])[] =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as const] : []));

/** Answers at once. What still comes of the body is dropped, unless there is no end to it. */
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

/** A refusal whose form is that of the service: what was asked for in the query is not looked at. */
const refusal = ({ message, forms }: Exchange, code: ServerCode): ProtocolResponse =>
  forms.refuse(new ServiceFault(code), { header: headerOf(message), query: new Map() });

/** Answers, and ends the connection: not all of the body may have been read, so it cannot be used again. */
function end(exchange: Exchange, reply: ProtocolResponse): void {
  const { message, response } = exchange;
  response.shouldKeepAlive = false;
  sendResponse(exchange, reply);
  const socket = socketOf(message);
  socket?.once("drain", () => socket.destroySoon());
  message.resume();
}

/** Reads to the end of a body that is no good, unless it is very long. */
async function dropBody(message: IncomingMessage): Promise<void> {
  let left = maxDroppedBytes;
  if (lengthOf(message) > left) return;
  try {
    for await (const chunk of chunksOf(message)) if ((left -= chunk.length) < 0) return;
  } catch {
    // The client left before its body had come: nobody reads the answer.
  }
}
