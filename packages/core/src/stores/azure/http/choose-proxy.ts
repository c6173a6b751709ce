import { StorageError } from "../../../values/errors/storage-error.ts";
import { variable } from "../../../values/options/variable.ts";
import { isLoopback } from "../loopback.ts";

/** A proxy that requests go through. */
export interface Proxy {
  /** May contain a password: use it for connections only. */
  readonly url: string;
  /** Host, port and origin of the setting, for messages. */
  readonly shown: string;
}

/** Bun's HTTP client reads the environment variables itself, and accepts no custom connections. */
const isBun = process.versions["bun"] !== undefined;

/**
 * Returns the proxy for requests to one origin: the option, or else the environment variables, with the rules of curl,
 * npm and the Azure SDK. The variables never apply to an emulator on this machine.
 *
 * @throws StorageError `storage.proxy`
 */
export function chooseProxy(
  origin: string,
  option: string | false | undefined,
  dispatcher?: object,
): Proxy | undefined {
  if (option === false) return undefined;
  if (dispatcher !== undefined) throw proxyError("A dispatcher chooses its own proxy");
  if (option !== undefined) {
    if (isBun) throw proxyError("In Bun, only environment variables can set a proxy");
    return readProxy(option, "the option proxy");
  }
  const { hostname, protocol, port } = new URL(origin);
  if (isBun || isLoopback(hostname)) return undefined;
  const names = ["http_proxy", "HTTP_PROXY"];
  if (protocol === "https:") names.unshift("https_proxy", "HTTPS_PROXY");
  const name = names.find(variable);
  if (name === undefined) return undefined;
  const proxy = readProxy(variable(name) ?? "", name);
  const exceptions = variable("no_proxy") ?? variable("NO_PROXY") ?? "";
  return isException(exceptions, hostname, port || usualPort(protocol)) ? undefined : proxy;
}

/** The URL may contain a password, so the message does not repeat it. */
function readProxy(url: string, from: string): Proxy {
  const { protocol = "", hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (!/^https?:$/.test(protocol))
    throw proxyError(`The value of ${from} is not a proxy URL, such as http://proxy.example:8080`);
  return { url, shown: `${hostname}:${port || usualPort(protocol)} (${from})` };
}

const usualPort = (protocol: string): string => (protocol === "http:" ? "80" : "443");

/**
 * Whether `NO_PROXY` lists a host. An entry is a name or `.name` (the host and its subdomains), `*.name` (only its
 * subdomains) or `*`. Each can end with `:port`. An IPv6 address with a port is written in brackets.
 */
export function isException(list: string, hostname: string, port: string): boolean {
  const host = bare(hostname);
  return list.split(/[\s,]+/).some((entry) => {
    const [, address = entry, onPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (address === "" || (onPort !== undefined && onPort !== port)) return false;
    const name = bare(address.replace(/^\*?\./, ""));
    return name === "*" || (host === name && !address.startsWith("*")) || host.endsWith(`.${name}`);
  });
}

/** Normalizes a host: lower case, without brackets, and without a final dot. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1");

const proxyError = (problem: string): StorageError =>
  new StorageError("storage.proxy", `${problem}. To use no proxy, pass { proxy: false }.`, { applied: "no" });
