import { createHmac } from "node:crypto";
import { sharedKeyText } from "@partita/core/protocol";

/** A raw response. */
interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends a raw GET to the account's endpoint: for filters that clients don't write, and for other versions.
 */
export type RawRequest = (
  path: string,
  parameters?: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
) => Promise<RawResponse>;

/** Signs with the key of a connection string. Undefined if it has none. */
export function rawRequests(connectionString: string): RawRequest | undefined {
  const settings = settingsOf(connectionString);
  const [account, key] = [settings.get("accountname"), settings.get("accountkey")];
  if (account === undefined || key === undefined) return undefined;
  const protocol = settings.get("defaultendpointsprotocol") ?? "https";
  const suffix = settings.get("endpointsuffix") ?? "core.windows.net";
  const endpoint = settings.get("tableendpoint") ?? `${protocol}://${account}.table.${suffix}`;
  const hmacKey = Buffer.from(key, "base64");
  return async (path, parameters = {}, headers = {}) => {
    const url = new URL(endpoint.replace(/\/$/, "") + path);
    url.search = new URLSearchParams(parameters).toString();
    const date = new Date().toUTCString();
    const signed = { method: "GET", path: url.pathname, contentType: "", date };
    const text = sharedKeyText(account, "SharedKeyLite", signed);
    const signature = createHmac("sha256", hmacKey).update(text).digest("base64");
    const response = await fetch(url, {
      headers: {
        authorization: `SharedKeyLite ${account}:${signature}`,
        "x-ms-date": date,
        "x-ms-version": "2019-02-02",
        accept: "application/json;odata=minimalmetadata",
        ...headers,
      },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** Settings by their names in lower case. */
const settingsOf = (connectionString: string): ReadonlyMap<string, string> =>
  new Map(
    connectionString.split(";").flatMap((setting) => {
      const at = setting.indexOf("=");
      return at < 0
        ? []
        : [[setting.slice(0, at).trim().toLowerCase(), setting.slice(at + 1).trim()] as const];
    }),
  );
