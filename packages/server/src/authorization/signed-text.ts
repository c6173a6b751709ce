import { queueSharedKeyText } from "@partita/core/protocol";
import type { Credentials, KeyScheme } from "./authorize.ts";

/** The text that is signed for the queue service. Source: learn.microsoft.com "Authorize with Shared Key". */
export function queueKeyText(scheme: KeyScheme, account: string, credentials: Credentials): string {
  const { method, path, query } = credentials;
  const headers = Object.fromEntries(headersOf(credentials.headers()));
  if (scheme === "SharedKeyLite") return lightText(account, credentials, headers);
  const contentLength = Number(headers["content-length"] ?? 0);
  return queueSharedKeyText(account, { method, path, query, headers, contentLength });
}

/** Shared Key Lite signs fewer headers, and only `comp` of the query. */
function lightText(
  account: string,
  { method, path, query }: Credentials,
  headers: Readonly<Record<string, string>>,
): string {
  const comp = query.get("comp");
  return [
    method,
    headers["content-md5"] ?? "",
    headers["content-type"] ?? "",
    headers["x-ms-date"] === undefined ? (headers["date"] ?? "") : "",
    ...Object.keys(headers)
      .filter((name) => name.startsWith("x-ms-"))
      .toSorted()
      .map((name) => `${name}:${headers[name]}`),
    `/${account}${path === "" ? "/" : path}${comp === undefined ? "" : `?comp=${comp}`}`,
  ].join("\n");
}

/** Headers by lower-case name; repeated values are joined with commas. */
function headersOf(headers: readonly (readonly [name: string, value: string])[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const before = values.get(name);
    values.set(name, before === undefined ? value.trim() : `${before},${value.trim()}`);
  }
  return values;
}
