import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer } from "node:https";

/** A server's certificate and key, in PEM. */
export interface TlsCertificate {
  /** The certificate, followed by any intermediate certificates. */
  readonly cert: string | Buffer;
  /** Its private key, without a password. */
  readonly key: string | Buffer;
}

/**
 * Creates an https server for TLS 1.2 and later.
 *
 * @param call - the function that starts it, for messages
 * @throws TypeError for an invalid certificate
 */
export function createTlsServer(
  call: string,
  { cert, key }: TlsCertificate,
  limits: ServerOptions,
  response: RequestListener,
): Server {
  // Node starts a server without them, but then refuses every client.
  if (!cert || !key) throw noCertificate(call);
  try {
    return createServer({ ...limits, cert, key, minVersion: "TLSv1.2", handshakeTimeout: 10_000 }, response);
  } catch (cause) {
    // The rest of OpenSSL's message may quote the key.
    throw noCertificate(call, (cause as NodeJS.ErrnoException).code);
  }
}

function noCertificate(call: string, code?: string): TypeError {
  const reason = code === undefined ? "" : ` (${code})`;
  return new TypeError(
    `${call}({ tls }) needs a certificate and its private key, both in PEM, and the key without a password${reason}.`,
  );
}
