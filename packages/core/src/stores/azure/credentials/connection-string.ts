import { nearestName } from "../../../values/errors/nearest-name.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";
import { type Credential, isAccountKey } from "./credential.ts";
import { emulatorAccount } from "./emulator-account.ts";
import { isLoopback } from "../loopback.ts";
import { type Service, tableService } from "../service.ts";

/** The endpoint of one service of an account, and its credential. */
export interface Account {
  readonly service: Service;
  /** Base of every URL; for emulators its path ends with the account's name. */
  readonly endpoint: URL;
  /** The read-only secondary endpoint, whose data may be some minutes old. */
  readonly secondary?: URL;
  readonly credential: Credential;
}

/** Settings in addition to the target. */
export interface AccountOptions {
  readonly credential?: Credential | undefined;
  readonly allowInsecure?: boolean | undefined;
}

interface Reading extends AccountOptions {
  readonly service: Service;
}

/** The accepted settings. Others are refused, since a misspelt setting would otherwise be ignored silently. */
const known = [
  "AccountName",
  "AccountKey",
  "SharedAccessSignature",
  "DefaultEndpointsProtocol",
  "EndpointSuffix",
  "UseDevelopmentStorage",
  "DevelopmentStorageProxyUri",
  // Connection strings from the portal also name the account's other services.
  ...["Table", "Queue", "Blob", "File", "Dfs", "Web"].flatMap((service) => [
    `${service}Endpoint`,
    `${service}SecondaryEndpoint`,
  ]),
];
const knownIds: ReadonlySet<string> = new Set(known.map((name) => name.toLowerCase()));

/**
 * Reads a connection string in any of its forms, or the URL of a service endpoint, with or without a shared access
 * signature.
 *
 * @throws StorageError `storage.connection-string`; it names settings, never their values
 */
export function readAccount(
  target: string,
  options: AccountOptions = {},
  service: Service = tableService,
): Account {
  const reading: Reading = {
    service,
    credential: options.credential,
    allowInsecure: options.allowInsecure,
  };
  try {
    return accountOf(target, reading);
  } catch (error) {
    throw Refusal.is(error) ? invalid(error.message, service) : error;
  }
}

function accountOf(target: string, reading: Reading): Account {
  if (/^https?:\/\//i.test(target)) return accountOfUrl(target, reading);
  if (/^AccountEndpoint=/i.test(target))
    throw new Refusal(
      "it belongs to an account of Cosmos DB for NoSQL: create one with the API for Table, and copy its connection string",
    );
  const { service } = reading;
  const settings = readSettings(target);
  const usesEmulator = settings.get("usedevelopmentstorage")?.toLowerCase() ?? "false";
  if (usesEmulator === "true") return accountOfEmulator(settings.get("developmentstorageproxyuri"), reading);
  if (usesEmulator !== "false") throw new Refusal("UseDevelopmentStorage must be true or false");

  const name = settings.get("accountname");
  if (name !== undefined && !/^[a-z0-9-]{1,63}$/i.test(name))
    throw new Refusal("AccountName is not a valid account name");
  const protocol = settings.get("defaultendpointsprotocol") ?? "https";
  const suffix = settings.get("endpointsuffix") ?? "core.windows.net";
  const explicit = settings.get(`${service.name}endpoint`);
  if (explicit === undefined && name === undefined)
    throw new Refusal(`AccountName and ${service.setting}Endpoint are both missing`);
  const endpoint = checkEndpoint(explicit ?? `${protocol}://${name}.${service.name}.${suffix}`, reading);
  checkEmulatorPath(endpoint, name, service);
  const secondary = settings.get(`${service.name}secondaryendpoint`);
  const credential = reading.credential ?? credentialOf(settings, name);
  return withSecondary(
    endpoint,
    secondary === undefined ? undefined : checkEndpoint(secondary, reading),
    checkProtocol(credential, endpoint),
    service,
  );
}

function credentialOf(settings: ReadonlyMap<string, string>, name: string | undefined): Credential {
  const sas = settings.get("sharedaccesssignature");
  const accountKey = settings.get("accountkey");
  if (sas !== undefined && accountKey !== undefined)
    throw new Refusal("it has both AccountKey and SharedAccessSignature: remove one of them");
  if (sas !== undefined) return { sas: checkSas(sas) };
  if (accountKey === undefined || accountKey === "")
    throw new Refusal("AccountKey has no value, and there is no SharedAccessSignature");
  if (!isAccountKey(accountKey))
    throw new Refusal(
      "AccountKey is not base64: copy the complete key, with any = at its end, and without URL encoding",
    );
  if (name === undefined) throw new Refusal("AccountName is missing");
  return { accountName: name, accountKey };
}

function accountOfEmulator(proxy: string | undefined, reading: Reading): Account {
  const { accountName, accountKey } = emulatorAccount;
  const { service, credential = { accountName, accountKey } } = reading;
  const url = new URL(service.emulator);
  if (proxy !== undefined) {
    const { protocol, hostname } = checkEndpoint(proxy, reading);
    url.protocol = protocol;
    url.hostname = hostname;
  }
  return withSecondary(checkEndpoint(url.href, reading), undefined, credential, service);
}

function accountOfUrl(target: string, reading: Reading): Account {
  const at = target.indexOf("?");
  const endpoint = checkEndpoint(at < 0 ? target : withoutTable(target, at), reading);
  const credential = reading.credential ?? (at < 0 ? undefined : { sas: checkSas(target.slice(at + 1)) });
  const name = credential !== undefined && "accountName" in credential ? credential.accountName : undefined;
  checkEmulatorPath(endpoint, name, reading.service);
  if (credential === undefined)
    throw new Refusal(
      "a URL alone has no credential: pass the option credential, or append a shared access signature" +
        (isLoopback(endpoint.hostname) ? ", or for an emulator write UseDevelopmentStorage=true" : ""),
    );
  return withSecondary(endpoint, undefined, checkProtocol(credential, endpoint), reading.service);
}

/**
 * The URL before its query. A signature for one table (`tn`) comes with a URL that includes the table; this removes it.
 */
function withoutTable(target: string, at: number): string {
  const url = target.slice(0, at).replace(/(?:\(\))?\/?$/, "");
  const table = new URLSearchParams(target.slice(at)).get("tn");
  const isOfTable = table !== null && url.toLowerCase().endsWith(`/${table.toLowerCase()}`);
  return isOfTable ? url.slice(0, -table.length - 1) : url;
}

/**
 * An emulator serves several accounts at one address. Without an account in the path, it takes the table for the
 * account.
 */
function checkEmulatorPath(
  { hostname, port, pathname }: URL,
  name: string | undefined,
  { emulator }: Service,
): void {
  const isEmulator = port === new URL(emulator).port || name === emulatorAccount.accountName;
  if (pathname === "/" && isLoopback(hostname) && isEmulator)
    throw new Refusal(
      `an emulator's endpoint ends with the account's name, such as ${emulator}: add it, or write UseDevelopmentStorage=true`,
    );
}

/** The service refuses an https-only signature over http without a reason, so check it here. */
function checkProtocol(credential: Credential, { protocol }: URL): Credential {
  const allowed = "sas" in credential ? new URLSearchParams(credential.sas).get("spr") : null;
  if (protocol === "http:" && allowed !== null && !allowed.split(",").includes("http"))
    throw new Refusal("the shared access signature is for https only (spr), but the endpoint is http");
  return credential;
}

function readSettings(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [index, pair] of text.split(";").entries()) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const id = name.toLowerCase();
    if (!knownIds.has(id)) throw new Refusal(unknownSetting(index, name, at >= 0));
    if (settings.has(id)) throw new Refusal(`${name} occurs twice`);
    settings.set(id, pair.slice(at + 1).trim());
  }
  return settings;
}

/**
 * A wrong name may be part of a key, since a key can end like `Name=`. So the message gives its position, not its text.
 */
function unknownSetting(index: number, name: string, isPair: boolean): string {
  const part = `part ${index + 1} (separated by semicolons)`;
  if (!isPair) return `${part} is not Name=Value`;
  const meant = nearestName(name, known);
  return `${part} has an unknown name${meant === undefined ? "" : `. Did you mean ${meant}?`}`;
}

/** Requires TLS, except on this machine or with `allowInsecure`. */
function checkEndpoint(text: string, { allowInsecure = false, service }: Reading): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Refusal(`the ${service.name} endpoint is not a URL`);
  }
  const isClear = url.protocol === "http:" && (allowInsecure || isLoopback(url.hostname));
  if (url.protocol !== "https:" && !isClear)
    throw new Refusal(
      `the ${service.name} endpoint must be https, since requests would be sent unencrypted; on a network you trust, pass allowInsecure: true`,
    );
  const host = /^[^.]+\.(table|queue|blob|file|dfs|web)\./.exec(url.hostname);
  if (host !== null && host[1] !== service.name)
    throw new Refusal(
      `the endpoint belongs to another service of the account; the ${service.name} endpoint begins with https://account.${service.name}`,
    );
  if (host !== null && url.pathname !== "/")
    throw new Refusal(
      `the ${service.name} endpoint must not have a path: use ${url.origin} with the same signature or key`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Refusal(`the ${service.name} endpoint must be a plain URL`);
  return url;
}

function checkSas(text: string): string {
  const sas = text.replace(/^\?/, "");
  const parameters = new URLSearchParams(sas);
  if (!parameters.has("sig") || !/^[\w%&=.~:,+/-]+$/.test(sas))
    throw new Refusal("the shared access signature has no sig, or is not a query string");
  return sas;
}

/** Without its own setting, the secondary has the service's usual name. */
function withSecondary(
  endpoint: URL,
  explicit: URL | undefined,
  credential: Credential,
  service: Service,
): Account {
  const secondary = explicit ?? usualSecondary(endpoint, service);
  return { service, endpoint, ...(secondary !== undefined && { secondary }), credential };
}

function usualSecondary(endpoint: URL, { name }: Service): URL | undefined {
  const host = /^([a-z0-9]{3,24})(\.(table|queue|blob)\.core\..+)$/.exec(endpoint.hostname);
  if (host?.[3] === name) return new URL(`${endpoint.protocol}//${host[1]}-secondary${host[2]}`);
  // Path style: the account is the first part of the path.
  const path = /^\/([a-z0-9-]{1,63})\/?$/i.exec(endpoint.pathname);
  return path === null ? undefined : new URL(`${endpoint.origin}/${path[1]}-secondary`);
}

/** A problem in a target. The caller that catches it adds the service's name. */
class Refusal extends Error {
  get isRefusal(): true {
    return true;
  }

  static is(value: unknown): value is Refusal {
    return (value as Partial<Refusal> | null | undefined)?.isRefusal === true;
  }
}

function invalid(problem: string, { setting }: Service): StorageError {
  return new StorageError(
    "storage.connection-string",
    `The connection string cannot be used: ${problem}${problem.endsWith("?") ? "" : "."} Use AccountName=…;AccountKey=… or SharedAccessSignature=… with EndpointSuffix=… or ${setting}Endpoint=…, or UseDevelopmentStorage=true, or the endpoint's URL.`,
    { applied: "no" },
  );
}
