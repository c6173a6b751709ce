import type { Duplex } from "node:stream";
import type { Proxy } from "./choose-proxy.ts";
import { connectTimeout } from "./connection-error.ts";

/**
 * Opens a connection to an origin through a proxy (CONNECT). Resolves after the TLS handshake with the origin, so no
 * part of a request has been sent before.
 */
export async function openTunnel(proxy: Proxy, origin: URL, connectMs: number): Promise<Duplex> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), connectMs);
  try {
    const tunnel = await connectThrough(proxy, origin, over.signal);
    return origin.protocol === "https:" ? await secure(tunnel, origin, over.signal) : tunnel;
  } catch (error) {
    throw over.signal.aborted ? connectTimeout() : error;
  } finally {
    clearTimeout(timer);
  }
}

function connectThrough(proxy: Proxy, origin: URL, signal: AbortSignal): Promise<Duplex> {
  const url = new URL(proxy.url);
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const target = `${origin.hostname}:${origin.port === "" ? usualPort(origin) : origin.port}`;
  const authorization = authorizationOf(url);
  url.username = "";
  url.password = "";
  return new Promise((resolve, reject) => {
    const connecting = request(url, {
      method: "CONNECT",
      path: target,
      headers: { host: target, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
      // Use a new connection: the program's agents may be configured with other proxies.
      agent: false,
      signal,
    });
    connecting.on("error", reject);
    connecting.on("connect", ({ statusCode }, socket: Duplex, head: Buffer) => {
      if (statusCode !== 200) {
        socket.on("error", () => undefined).destroy();
        return reject(new Error(`The proxy refused a tunnel (${statusCode})`));
      }
      if (head.length > 0) socket.unshift(head);
      return resolve(socket);
    });
    connecting.end();
  });
}

function secure(tunnel: Duplex, { hostname }: URL, signal: AbortSignal): Promise<Duplex> {
  const { isIP } = process.getBuiltinModule("node:net");
  const { connect } = process.getBuiltinModule("node:tls");
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tunnel,
      host,
      // An IP address is checked against its certificate, but never sent as a server name.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ["http/1.1"],
    });
    const end = (): void => void socket.destroy(connectTimeout());
    signal.addEventListener("abort", end, { once: true });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", end);
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "") return undefined;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

const usualPort = ({ protocol }: URL): number => (protocol === "https:" ? 443 : 80);
