import { StorageError } from "../../../values/errors/storage-error.ts";
import { isLoopback } from "../loopback.ts";
import type { Service, ServicePlace } from "../service.ts";

const selfSigned = "Its certificate is not trusted: add its issuer with NODE_EXTRA_CA_CERTS.";
const withoutTls = "It does not use TLS: check whether the endpoint is https or http.";

/** Error codes for a host that could not be found or reached before a request was sent, with the remedy for each. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing listens at this address: check the endpoint's host and port.",
  ENOTFOUND: "The host name is unknown: check AccountName, EndpointSuffix or the endpoint.",
  EAI_AGAIN: "The host name could not be resolved: check the network.",
  EHOSTUNREACH: "Check the endpoint and the network.",
  ENETUNREACH: "Check the endpoint and the network.",
  UND_ERR_CONNECT_TIMEOUT: "Check the endpoint, the network and its firewalls.",
  ERR_TLS_CERT_ALTNAME_INVALID: "Its certificate is for another host: check the endpoint.",
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: selfSigned,
  CERT_HAS_EXPIRED: "Its certificate has expired.",
  EPROTO: withoutTls,
  ERR_SSL_WRONG_VERSION_NUMBER: withoutTls,
};

/** Whether this code means that the host was not found or not reached. */
export const isUnreachable = (code: string | undefined): code is string =>
  code !== undefined && Object.hasOwn(remedies, code);

/** The error for a request that could not be sent because no connection was made. It names host and port. */
export function unreachable({ service, origin }: ServicePlace, code: string, cause: unknown): StorageError {
  const { hostname, host, port, protocol } = new URL(origin);
  const place = port === "" ? `${host}:${protocol === "http:" ? 80 : 443}` : host;
  const isHere = code === "ECONNREFUSED" && isLoopback(hostname);
  const remedy = isHere
    ? `Nothing listens at this address: start the emulator, ${emulatorsAt(service, port)}, or check the port.`
    : remedies[code];
  return new StorageError(
    "storage.unreachable",
    `The ${service.name} service at ${place} cannot be reached (${code}). ${remedy}`,
    { applied: "no" },
    { cause },
  );
}

/** The error for a request that may have been lost at a proxy. It names the proxy's host, without a password. */
export function unreachableThrough(
  { service, origin }: ServicePlace,
  proxy: string,
  code: string | undefined,
  cause: unknown,
): StorageError {
  // Undici reports the status of a refusal only in its message.
  const why = /\((\d{3})\)/.exec(String(cause))?.[1] ?? code;
  return new StorageError(
    "storage.unreachable",
    `The ${service.name} service at ${new URL(origin).host} cannot be reached (${why}). Check the proxy at ${proxy}, its password, and NO_PROXY.`,
    { applied: "no" },
    { cause },
  );
}

/** The commands that start an emulator on a port. */
function emulatorsAt({ name, emulator, portOptions }: Service, port: string): string {
  const [azurite, serve] = portOptions;
  const azuritePort = port === new URL(emulator).port ? "" : ` ${azurite} ${port}`;
  const ours = serve === undefined ? "" : ` or npx @partita/cli serve ${serve} ${port}`;
  return `npx azurite-${name}${azuritePort}${ours}`;
}
