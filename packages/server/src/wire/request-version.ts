import { ServiceFault } from "./service-fault.ts";

type Header = (name: string) => string | undefined;

/**
 * The protocol version of a request: its own, or its signature's.
 *
 * @param initialVersion - the default of requests without a version
 * @throws ServiceFault `InvalidHeaderValue` for a version that does not exist today
 */
export function requestVersion(
  { header, query }: { readonly header: Header; readonly query: ReadonlyMap<string, string> },
  initialVersion: string,
): string {
  const version = namedVersion(header, (name) => query.get(name)) ?? initialVersion;
  if (!isVersion(version)) throw new ServiceFault("InvalidHeaderValue");
  return version;
}

/** The version in a response, even if the request is invalid: the default if the request's version is not legal. */
function responseVersion(url: string, header: Header, initialVersion: string): string {
  const parameter = (name: string): string | undefined =>
    url.includes(`${name}=`)
      ? (new URLSearchParams(url.slice(url.indexOf("?") + 1)).get(name) ?? undefined)
      : undefined;
  const version = namedVersion(header, parameter) ?? initialVersion;
  return isVersion(version) ? version : initialVersion;
}

const namedVersion = (header: Header, parameter: Header): string | undefined =>
  parameter("api-version") ?? header("x-ms-version") ?? parameter("sv");

// By the real clock, since the server's own may be set to any time.
const isVersion = (version: string): boolean =>
  /^20\d{2}-\d{2}-\d{2}$/.test(version) && Date.parse(version) <= Date.now();

/**
 * The first version with the client's ID in every response. Source: release notes of azure-storage-common 2.1.0, which
 * compares the two from this version on; recordings of 2018-03-28 have none.
 */
const echoingVersion = "2019-02-02";

/** Maximum number of characters of a client's ID. Source: learn.microsoft.com "Troubleshooting API operations". */
const maxClientId = 1024;

/** The headers that repeat a part of the request: its version, and the client's ID if the version returns it. */
export function identityHeaders(url: string, header: Header, initialVersion: string): Record<string, string> {
  const version = responseVersion(url, header, initialVersion);
  const id = header("x-ms-client-request-id") ?? "";
  const isEchoed = version >= echoingVersion || header("x-ms-return-client-request-id") === "true";
  return {
    "x-ms-version": version,
    ...(isEchoed && id !== "" && id.length <= maxClientId && { "x-ms-client-request-id": id }),
  };
}
