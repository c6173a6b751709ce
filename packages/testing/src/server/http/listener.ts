import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { InjectedFault } from "../../faults/injected-fault.ts";
import { faultAnswer } from "../wire/fault-answer.ts";
import { wireHeaders } from "../wire/header-names.ts";
import { makeFault } from "./make-fault.ts";
import type { WireRequest } from "../handlers/handle-request.ts";
import type { ProtocolAnswer } from "../wire/protocol-request.ts";
import { createTlsServer, type TlsCertificate } from "./tls-server.ts";
import { isLoopback, namesHost, namesLoopback } from "./hosts.ts";
import { Turns } from "./turns.ts";
import { type ServerCode, ServiceFault } from "../wire/service-fault.ts";

/** A request's body at most. Source: learn.microsoft.com "Performing entity group transactions". */
const maxBodyBytes = 4 * 1024 * 1024;
/** Bytes of a longer body that are read and dropped: a client that is still sending would not get to read why. */
const maxDroppedBytes = 16 * maxBodyBytes;
const maxSockets = 1000;
/** Requests that are answered at once; others wait. Those whose bodies are still coming do not count. */
const maxRequests = 100;
/** Bytes of bodies in memory at once, whole and unfinished. */
const maxHeldBytes = maxRequests * maxBodyBytes;

/** Answers a request, or says what is to go wrong with it. */
export type Handle = (request: WireRequest) => Promise<ProtocolAnswer | InjectedFault>;

/** Where a server listens, and how. */
export interface ListenerOptions {
  readonly host: string;
  /** https when present. */
  readonly tls: TlsCertificate | undefined;
  /** Milliseconds since 1970, for the date of answers. */
  readonly now: () => number;
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
export function createListener(handle: Handle, { host, tls, now }: ListenerOptions): Listener {
  const load: Load = { turns: new Turns(maxRequests), heldBytes: 0 };
  const isNamed = isLoopback(host) ? namesLoopback : namesHost;
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    response.setHeader("Date", new Date(now()).toUTCString());
    // A client may leave at any time.
    message.on("error", () => undefined);
    response.on("error", () => undefined);
    const refusal = refusalOf(message, isNamed);
    if (refusal === undefined) void serve(message, response, load, handle, closeConnections);
    else void refuse(message, response, refusal);
  };
  const listener = tls === undefined ? createServer(limits, answer) : createTlsServer(tls, limits, answer);
  listener.maxConnections = maxSockets;
  const sockets = new Set<Socket>();
  // Over TLS this comes before the handshake.
  listener.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closeConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return { listener, closeConnections };
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
    else await refuse(message, response, bytes > maxBodyBytes ? "RequestBodyTooLarge" : "ServerBusy");
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
  for await (const chunk of chunksOf(message)) if (!take(chunk)) return false;
  return true;
}

/** What comes of a body; to stop reading it leaves the connection as it is. */
const chunksOf = (message: IncomingMessage): AsyncIterable<Buffer> =>
  message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

const headerOf =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(",") : value;
  };

async function refuse(message: IncomingMessage, response: ServerResponse, code: ServerCode): Promise<void> {
  // Not all of the body may have been read: the connection cannot be used again.
  response.shouldKeepAlive = false;
  if (code === "RequestBodyTooLarge") await dropBody(message);
  const header = headerOf(message);
  send(message, response, faultAnswer(new ServiceFault(code), { header, query: new Map() }));
  const socket = socketOf(message);
  socket?.once("drain", () => socket.destroySoon());
  message.resume();
}

/** Reads to the end of a body that is no good, unless it is very long. */
async function dropBody(message: IncomingMessage): Promise<void> {
  let left = maxDroppedBytes;
  if (Number(message.headers["content-length"] ?? 0) > left) return;
  try {
    for await (const chunk of chunksOf(message)) if ((left -= chunk.length) < 0) return;
  } catch {
    // The client left before its body had come: nobody reads the answer.
  }
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
