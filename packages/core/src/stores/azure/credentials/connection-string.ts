import { nearestName } from "../../../values/errors/nearest-name.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";
import { type Credential, isAccountKey } from "./credential.ts";
import { emulatorAccount } from "./emulator-account.ts";
import { isLoopback } from "../loopback.ts";
import { type Service, tableService } from "../service.ts";

/** Where a service of an account is, and how its requests prove who sends them. */
export interface Account {
  readonly service: Service;
  /** Base of every URL; for emulators its path ends with the account's name. */
  readonly endpoint: URL;
  /** Where copies of the data can be read, possibly some minutes old. */
  readonly secondary?: URL;
  readonly credential: Credential;
}

/** What a target leaves open. */
export interface AccountOptions {
  readonly credential?: Credential | undefined;
  readonly allowInsecure?: boolean | undefined;
}

interface Reading extends AccountOptions {
  readonly service: Service;
}

/** The settings that are understood; any other is refused, so that a misspelt one is not silently ignored. */
const known = [
  "AccountName",
  "AccountKey",
  "SharedAccessSignature",
  "DefaultEndpointsProtocol",
  "EndpointSuffix",
  "UseDevelopmentStorage",
  "DevelopmentStorageProxyUri",
  // Those of other services of the same account stand there, too, as the portal writes them.
  ...["Table", "Queue", "Blob", "File", "Dfs", "Web"].flatMap((service) => [
    `${service}Endpoint`,
    `${service}SecondaryEndpoint`,
  ]),
];
const knownIds: ReadonlySet<string> = new Set(known.map((name) => name.toLowerCase()));

/**
 * Reads where a service of an account is: a connection string in any of its forms, or the URL of the service's endpoint,
 * which may end with a shared access signature.
 *
 * @throws StorageError `storage.connection-string`, naming settings and never their values
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
  const { service } = reading;
  const settings = readSettings(target);
  const usesEmulator = settings.get("usedevelopmentstorage")?.toLowerCase() ?? "false";
  if (usesEmulator === "true") return accountOfEmulator(settings.get("developmentstorageproxyuri"), reading);
  if (usesEmulator !== "false") throw new Refusal("UseDevelopmentStorage takes true or false");

  const name = settings.get("accountname");
  if (name !== undefined && !/^[a-z0-9-]{1,63}$/i.test(name))
    throw new Refusal("AccountName is not an account's name");
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
    throw new Refusal(
      "AccountKey and SharedAccessSignature are both there: leave out the one that is not to be used",
    );
  if (sas !== undefined) return { sas: checkSas(sas) };
  if (accountKey === undefined || accountKey === "")
    throw new Refusal("AccountKey has no value, and there is no SharedAccessSignature");
  if (!isAccountKey(accountKey))
    throw new Refusal(
      "AccountKey is not base64: copy the whole key, with any = at its end, and not URL-encoded",
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
      "a URL alone does not say who asks: pass credential, or end it with a shared access signature" +
        (isLoopback(endpoint.hostname) ? ", or for an emulator write UseDevelopmentStorage=true" : ""),
    );
  return withSecondary(endpoint, undefined, checkProtocol(credential, endpoint), reading.service);
}

/** The URL before its query, without the table that a signature for one table (tn) is handed out with. */
function withoutTable(target: string, at: number): string {
  const url = target.slice(0, at).replace(/(?:\(\))?\/?$/, "");
  const table = new URLSearchParams(target.slice(at)).get("tn");
  const isOfTable = table !== null && url.toLowerCase().endsWith(`/${table.toLowerCase()}`);
  return isOfTable ? url.slice(0, -table.length - 1) : url;
}

/** Emulators serve several accounts at one address: without the account in the path, they take the table for it. */
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

/** A signature for https says so itself; the service would refuse it over http without a reason. */
function checkProtocol(credential: Credential, { protocol }: URL): Credential {
  const allowed = "sas" in credential ? new URLSearchParams(credential.sas).get("spr") : null;
  if (protocol === "http:" && allowed !== null && !allowed.split(",").includes("http"))
    throw new Refusal("the shared access signature is for https only (spr), and the endpoint is http");
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
    if (settings.has(id)) throw new Refusal(`${name} stands there twice`);
    settings.set(id, pair.slice(at + 1).trim());
  }
  return settings;
}

/** What stands for a name may be a piece of a key, whose end looks like Name=: it is counted, never repeated. */
function unknownSetting(index: number, name: string, isPair: boolean): string {
  const part = `part ${index + 1} of those between semicolons`;
  if (!isPair) return `${part} is not Name=Value`;
  const meant = nearestName(name, known);
  return `${part} has a name that is not known here${meant === undefined ? "" : `. Did you mean ${meant}?`}`;
}

/** TLS only, except on this machine or where its owner says otherwise. */
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
      `the ${service.name} endpoint must be https, since a signed request would travel in clear; on a network you trust, pass allowInsecure: true`,
    );
  const host = /^[^.]+\.(table|queue|blob|file|dfs|web)\./.exec(url.hostname);
  if (host !== null && host[1] !== service.name)
    throw new Refusal(
      `the endpoint is of another service of the account; the ${service.name} endpoint begins with https://account.${service.name}`,
    );
  if (host !== null && url.pathname !== "/")
    throw new Refusal(
      `the ${service.name} endpoint ends with a path, and names no table or queue: write ${url.origin} with the same signature or key`,
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

/** Without a setting of its own, the secondary has the service's usual name. */
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
  // Path style: the account is the path's first part.
  const path = /^\/([a-z0-9-]{1,63})\/?$/i.exec(endpoint.pathname);
  return path === null ? undefined : new URL(`${endpoint.origin}/${path[1]}-secondary`);
}

/** What is wrong with a target; the service that it is read for is added where it is caught. */
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
    `The connection string cannot be used: ${problem}${problem.endsWith("?") ? "" : "."} It takes AccountName=…;AccountKey=… or SharedAccessSignature=… with EndpointSuffix=… or ${setting}Endpoint=…, or UseDevelopmentStorage=true, or the endpoint's URL.`,
    { applied: "no" },
  );
}
