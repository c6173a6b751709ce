import { isIP } from "node:net";

/** Whether a text is an address or a name that a server can listen on. */
export const isHost = (host: unknown): host is string =>
  typeof host === "string" && (isIP(host) > 0 || /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i.test(host));

/** Whether a server that listens there can be reached only from this machine. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** The host for URLs on this machine. An address that means all interfaces cannot be used in a URL. */
export function hostInUrl(host: string, isTls: boolean): string {
  // Certificates are issued for names. Without a certificate, some clients take http://localhost for Cosmos DB's
  // emulator.
  if (host === "0.0.0.0" || host === "::") return isTls ? "localhost" : "127.0.0.1";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Whether a `Host` header names this machine. This keeps web pages from reaching the server through their own domain.
 */
export function namesLoopback(header: string): boolean {
  const host = header.replace(/:\d{1,5}$/, "").toLowerCase();
  return host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Whether a `Host` header is a single name or address, with or without a port. */
export const namesHost = (header: string): boolean =>
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(header);
