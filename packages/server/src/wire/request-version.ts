import { ServiceFault } from "./service-fault.ts";

type Header = (name: string) => string | undefined;

/**
 * The version that a request speaks: its own, or that of its signature.
 *
 * @param initialVersion - that of requests that name none
 * @throws ServiceFault `InvalidHeaderValue` for a version that no service has today
 */
export function requestVersion(
  { header, query }: { readonly header: Header; readonly query: ReadonlyMap<string, string> },
  initialVersion: string,
): string {
  const version = namedVersion(header, (name) => query.get(name)) ?? initialVersion;
  if (!isVersion(version)) throw new ServiceFault("InvalidHeaderValue");
  return version;
}

/** The version that a response names, whatever else is wrong with the request: the initial one where its own is not legal. */
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

// By the real clock: the server's own may be set to any time.
const isVersion = (version: string): boolean =>
  /^20\d{2}-\d{2}-\d{2}$/.test(version) && Date.parse(version) <= Date.now();

/**
 * The first version whose responses always have the client's id. Source: release notes of azure-storage-common 2.1.0, which
 * compares the two from this version on; recordings of 2018-03-28 have none.
 */
const echoingVersion = "2019-02-02";

/** Characters of a client's id at most. Source: learn.microsoft.com "Troubleshooting API operations". */
const maxClientId = 1024;

/** The headers that repeat a request: its version, and the id that the client gave it where that is returned. */
export function identityHeaders(url: string, header: Header, initialVersion: string): Record<string, string> {
  const version = responseVersion(url, header, initialVersion);
  const id = header("x-ms-client-request-id") ?? "";
  const isEchoed = version >= echoingVersion || header("x-ms-return-client-request-id") === "true";
  return {
    "x-ms-version": version,
    ...(isEchoed && id !== "" && id.length <= maxClientId && { "x-ms-client-request-id": id }),
  };
}
