import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Admit } from "./admission.ts";
import { hostInUrl } from "./hosts.ts";
import { createListener, type ListenerOptions } from "./listener.ts";
import type { TlsCertificate } from "./tls-server.ts";

/** Where an account is served, and by what. */
export interface ListeningOptions extends ListenerOptions {
  readonly port: number;
  readonly account: string;
}

/** A server that listens. */
export interface Listening {
  /** The account's URL. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection, and then does what is passed, once. */
  readonly close: () => Promise<void>;
}

/** Requests over TLS, or not. */
export const schemeOf = (tls: TlsCertificate | undefined): "http" | "https" =>
  tls === undefined ? "http" : "https";

/**
 * Listens until it is closed.
 *
 * @param release - called when the last connection was ended
 * @throws Error `EADDRINUSE` and others of the system; TypeError for a certificate that is none
 */
export async function startListening(
  admit: Admit,
  options: ListeningOptions,
  release: () => Promise<void>,
): Promise<Listening> {
  const { listener, closeConnections } = createListener(admit, options);
  const { host, port, tls, account } = options;
  listener.listen(port, host);
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  const closeOnce = async (): Promise<void> => {
    const closed = once(listener, "close");
    listener.close();
    closeConnections();
    await closed;
    await release();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `${schemeOf(tls)}://${hostInUrl(host, tls !== undefined)}:${taken}/${account}`,
    port: taken,
    close: () => (closing ??= closeOnce()),
  };
}
