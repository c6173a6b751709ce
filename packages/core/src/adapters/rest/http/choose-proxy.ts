import { StorageError } from "../../../errors/storage-error.ts";
import { variable } from "../../../options/variable.ts";
import { isLoopback } from "../loopback.ts";

/** A proxy that requests may go through. */
export interface Proxy {
  /** With its password: for connections alone. */
  readonly url: string;
  /** Host, port and where they come from, for messages. */
  readonly shown: string;
  /** Hosts that are reached directly, as `NO_PROXY` lists them. */
  readonly exceptions: string;
  /** Called where there is no undici: such a proxy is left out where the environment names it. @throws StorageError `storage.proxy` */
  checkUndici(): void;
}

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
  if (option !== undefined) return readProxy(option, "the option proxy", false);
  const { hostname, protocol } = new URL(origin);
  if (isLoopback(hostname)) return undefined;
  const names = ["http_proxy", "HTTP_PROXY"];
  if (protocol === "https:") names.unshift("https_proxy", "HTTPS_PROXY");
  for (const name of names) {
    const url = variable(name);
    if (url !== undefined) return readProxy(url, name, true);
  }
  return undefined;
}

/** The URL may have a password in it: it is not repeated. */
function readProxy(url: string, from: string, isOfEnvironment: boolean): Proxy {
  const { protocol = "", hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (!/^https?:$/.test(protocol))
    throw proxyError(`What ${from} holds is not the URL of a proxy, such as http://proxy.example:8080`);
  const usualPort = protocol === "http:" ? "80" : "443";
  const exceptions = isOfEnvironment ? (variable("no_proxy") ?? variable("NO_PROXY") ?? "") : "";
  return {
    url,
    exceptions,
    checkUndici() {
      if (!isOfEnvironment) throw proxyError("A proxy needs undici, which cannot be loaded here");
    },
    shown: `${hostname}:${port === "" ? usualPort : port} (${from})`,
  };
}

/** The error of a proxy that cannot be used. */
const proxyError = (problem: string): StorageError =>
  new StorageError("storage.proxy", `${problem}. Pass { proxy: false } for none.`, { applied: "no" });
