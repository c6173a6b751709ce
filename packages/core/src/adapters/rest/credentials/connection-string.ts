import { StorageError } from "../../../errors/storage-error.ts";
import type { Credential } from "./credential.ts";
import { isAccountKey } from "./sas.ts";
import { emulatorAccount } from "./emulator-account.ts";

/** Where an account is, and how its requests prove who sends them. */
export interface Account {
  /** Base of every URL; for emulators its path ends with the account's name. */
  readonly endpoint: URL;
  /** Where copies of the data can be read, possibly some minutes old. */
  readonly secondary?: URL;
  readonly credential: Credential;
}

/** What a target leaves open. */
export interface AccountOptions {
  readonly credential?: Credential;
  readonly allowInsecure?: boolean;
}

/** The settings that are understood; any other is refused, so that a misspelt one is not silently ignored. */
const known = new Set([
  "accountname",
  "accountkey",
  "sharedaccesssignature",
  "defaultendpointsprotocol",
  "endpointsuffix",
  "tableendpoint",
  "tablesecondaryendpoint",
  "usedevelopmentstorage",
  "developmentstorageproxyuri",
  // Other services of the same account, as the portal writes them.
  ...["blob", "queue", "file", "dfs", "web"].flatMap((service) => [
    `${service}endpoint`,
    `${service}secondaryendpoint`,
  ]),
]);

/**
 * Reads where an account is: a connection string in any of its forms, or the URL of its table endpoint, which may end
 * with a shared access signature.
 *
 * @throws StorageError `storage.connection-string`, naming settings and never their values
 */
export function readAccount(target: string, options: AccountOptions = {}): Account {
  if (/^https?:\/\//i.test(target)) return accountOfUrl(target, options);
  const settings = readSettings(target);
  if (settings.get("usedevelopmentstorage")?.toLowerCase() === "true")
    return accountOfEmulator(settings.get("developmentstorageproxyuri"), options);

  const name = settings.get("accountname");
  if (name !== undefined && !/^[a-z0-9-]{1,63}$/i.test(name))
    throw invalid("AccountName is not an account's name");
  const protocol = settings.get("defaultendpointsprotocol") ?? "https";
  const suffix = settings.get("endpointsuffix") ?? "core.windows.net";
  const explicit = settings.get("tableendpoint");
  if (explicit === undefined && name === undefined)
    throw invalid("AccountName and TableEndpoint are both missing");
  const endpoint = checkEndpoint(explicit ?? `${protocol}://${name}.table.${suffix}`, options);
  const secondary = settings.get("tablesecondaryendpoint");
  const credential = options.credential ?? credentialOf(settings, name);
  return withSecondary(
    endpoint,
    secondary === undefined ? undefined : checkEndpoint(secondary, options),
    checkProtocol(credential, endpoint),
  );
}

function credentialOf(settings: ReadonlyMap<string, string>, name: string | undefined): Credential {
  const sas = settings.get("sharedaccesssignature");
  const accountKey = settings.get("accountkey");
  if (sas !== undefined && accountKey !== undefined)
    throw invalid(
      "AccountKey and SharedAccessSignature are both there: leave out the one that is not to be used",
    );
  if (sas !== undefined) return { sas: checkSas(sas) };
  if (!isAccountKey(accountKey))
    throw invalid("AccountKey is missing or not base64, and there is no SharedAccessSignature");
  if (name === undefined) throw invalid("AccountName is missing");
  return { accountName: name, accountKey };
}

function accountOfEmulator(proxy: string | undefined, options: AccountOptions): Account {
  const { accountName, accountKey, endpoint } = emulatorAccount;
  const url = new URL(endpoint);
  if (proxy !== undefined) {
    const { protocol, hostname } = checkEndpoint(proxy, options);
    url.protocol = protocol;
    url.hostname = hostname;
  }
  const place = checkEndpoint(url.href, options);
  return withSecondary(place, undefined, options.credential ?? { accountName, accountKey });
}

function accountOfUrl(target: string, options: AccountOptions): Account {
  const at = target.indexOf("?");
  const endpoint = checkEndpoint(at < 0 ? target : target.slice(0, at), options);
  const credential = options.credential ?? (at < 0 ? undefined : { sas: checkSas(target.slice(at + 1)) });
  if (credential === undefined)
    throw invalid(
      "a URL alone does not say who asks: pass credential, or end it with a shared access signature",
    );
  return withSecondary(endpoint, undefined, checkProtocol(credential, endpoint));
}

/** A signature for https says so itself; the service would refuse it over http without a reason. */
function checkProtocol(credential: Credential, { protocol }: URL): Credential {
  const allowed = "sas" in credential ? new URLSearchParams(credential.sas).get("spr") : null;
  if (protocol === "http:" && allowed !== null && !allowed.split(",").includes("http"))
    throw invalid("the shared access signature is for https only (spr), and the endpoint is http");
  return credential;
}

function readSettings(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const pair of text.split(";")) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const id = name.toLowerCase();
    if (!known.has(id))
      throw invalid(
        /^\w{1,40}$/.test(name) ? `${name} is not a setting known here` : "a part is not Name=Value",
      );
    if (settings.has(id)) throw invalid(`${name} stands there twice`);
    settings.set(id, pair.slice(at + 1).trim());
  }
  return settings;
}

/** TLS only, except on this machine or where its owner says otherwise. */
function checkEndpoint(text: string, { allowInsecure = false }: AccountOptions): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid("the table endpoint is not a URL");
  }
  const isClear = url.protocol === "http:" && (allowInsecure || isLoopback(url.hostname));
  if (url.protocol !== "https:" && !isClear)
    throw invalid("the table endpoint must be https: a signed request would travel in clear");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalid("the table endpoint must be a plain URL");
  return url;
}

/** Whether a host is this machine. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

function checkSas(text: string): string {
  const sas = text.replace(/^\?/, "");
  const parameters = new URLSearchParams(sas);
  if (!parameters.has("sig") || !/^[\w%&=.~:,+/-]+$/.test(sas))
    throw invalid("the shared access signature has no sig, or is not a query string");
  return sas;
}

/** Without a setting of its own, the secondary has the service's usual name. */
function withSecondary(endpoint: URL, explicit: URL | undefined, credential: Credential): Account {
  const secondary = explicit ?? usualSecondary(endpoint);
  return { endpoint, ...(secondary !== undefined && { secondary }), credential };
}

function usualSecondary(endpoint: URL): URL | undefined {
  const host = /^([a-z0-9]{3,24})(\.table\.core\..+)$/.exec(endpoint.hostname);
  if (host !== null) return new URL(`${endpoint.protocol}//${host[1]}-secondary${host[2]}`);
  // Path style: the account is the path's first part.
  const path = /^\/([a-z0-9-]{1,63})\/?$/i.exec(endpoint.pathname);
  return path === null ? undefined : new URL(`${endpoint.origin}/${path[1]}-secondary`);
}

function invalid(problem: string): StorageError {
  return new StorageError(
    "storage.connection-string",
    `The connection string cannot be used: ${problem}. It takes AccountName=…;AccountKey=… or SharedAccessSignature=… with EndpointSuffix=… or TableEndpoint=…, or UseDevelopmentStorage=true, or the endpoint's URL.`,
    { applied: "no" },
  );
}
