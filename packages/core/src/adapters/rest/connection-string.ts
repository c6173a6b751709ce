import { StorageError } from "../../errors/storage-error.ts";

/** Where an account is, and how its requests are signed. */
export interface Account {
  readonly name: string;
  /** Base of every URL, without a trailing slash; for emulators it ends with the account's name. */
  readonly endpoint: URL;
  /** The account key, decoded. */
  readonly key: Buffer;
}

/** Source: the emulator's published, well-known account. */
const emulator = {
  name: "devstoreaccount1",
  endpoint: "http://127.0.0.1:10002/devstoreaccount1",
  key: "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
};

/** The settings that are understood; any other is refused, so that a misspelt one is not silently ignored. */
const known = new Set([
  "accountname",
  "accountkey",
  "defaultendpointsprotocol",
  "endpointsuffix",
  "tableendpoint",
  "usedevelopmentstorage",
  // Other services of the same account, as the portal writes them.
  "blobendpoint",
  "queueendpoint",
  "fileendpoint",
]);

/**
 * Reads an account's connection string: `AccountName=…;AccountKey=…` with an endpoint or a suffix, or
 * `UseDevelopmentStorage=true`.
 *
 * @throws StorageError `storage.connection-string`, naming settings and never their values
 */
export function parseConnectionString(text: string): Account {
  const settings = readSettings(text);
  if (settings.get("usedevelopmentstorage")?.toLowerCase() === "true")
    return {
      name: emulator.name,
      endpoint: checkEndpoint(emulator.endpoint),
      key: Buffer.from(emulator.key, "base64"),
    };

  const name = settings.get("accountname");
  const key = settings.get("accountkey");
  if (name === undefined || !/^[a-z0-9-]{1,63}$/i.test(name))
    throw invalid("AccountName is missing or not an account's name");
  if (key === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(key))
    throw invalid("AccountKey is missing or not base64");
  const protocol = settings.get("defaultendpointsprotocol") ?? "https";
  const suffix = settings.get("endpointsuffix") ?? "core.windows.net";
  const endpoint = settings.get("tableendpoint") ?? `${protocol}://${name}.table.${suffix}`;
  return { name, endpoint: checkEndpoint(endpoint), key: Buffer.from(key, "base64") };
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

/** TLS only, except on this machine. */
function checkEndpoint(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid("the table endpoint is not a URL");
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    throw invalid("the table endpoint must be https: a signed request would travel in clear");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalid("the table endpoint must be a plain URL");
  return url;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

function invalid(problem: string): StorageError {
  return new StorageError(
    "storage.connection-string",
    `The connection string cannot be used: ${problem}. It takes AccountName=…;AccountKey=…;EndpointSuffix=… or TableEndpoint=…, or UseDevelopmentStorage=true.`,
    { applied: "no" },
  );
}
