import { StorageError } from "../../../values/errors/storage-error.ts";
import { variable } from "../../../values/options/variable.ts";
import { isLoopback } from "../loopback.ts";

/** A proxy that requests go through. */
export interface Proxy {
  /** With its password: for connections alone. */
  readonly url: string;
  /** Host, port and where they come from, for messages. */
  readonly shown: string;
}

/** Bun's HTTP client follows the variables by itself, and takes no other connections. */
const isBun = process.versions["bun"] !== undefined;

/**
 * The proxy for requests to one origin: that of the option, or else that of the environment, as curl, npm and the Azure
 * SDK read it. An emulator on this machine is never asked through what the environment names.
 *
 * @throws StorageError `storage.proxy`
 */
export function chooseProxy(
  origin: string,
  option: string | false | undefined,
  dispatcher?: object,
): Proxy | undefined {
  if (option === false) return undefined;
  if (dispatcher !== undefined) throw proxyError("A dispatcher chooses its proxy itself");
  if (option !== undefined) {
    if (isBun) throw proxyError("In Bun, only the environment can name a proxy");
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

/** The URL may have a password in it: it is not repeated. */
function readProxy(url: string, from: string): Proxy {
  const { protocol = "", hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (!/^https?:$/.test(protocol))
    throw proxyError(`What ${from} holds is not the URL of a proxy, such as http://proxy.example:8080`);
  return { url, shown: `${hostname}:${port || usualPort(protocol)} (${from})` };
}

const usualPort = (protocol: string): string => (protocol === "http:" ? "80" : "443");

/**
 * Whether `NO_PROXY` lists a host: by its name, which includes hosts below it; by `.name` for the same; by `*.name` for hosts
 * below it only; or by `*`. Each can end in `:port`. An IPv6 address with a port stands in brackets.
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

/** A host as it is compared: in lower case, without brackets, and without the dot that may end it. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1");

const proxyError = (problem: string): StorageError =>
  new StorageError("storage.proxy", `${problem}. Pass { proxy: false } for none.`, { applied: "no" });
