import type { SasParameters } from "@partita/core/protocol";
import type { Credentials, KeyScheme } from "../authorization/authorize.ts";

/** Headers that Shared Key signs in this order; an empty line stands for each that is absent. */
const signedHeaders = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-md5",
  "content-type",
  "date",
  "if-modified-since",
  "if-match",
  "if-none-match",
  "if-unmodified-since",
  "range",
] as const;

const lightHeaders = ["content-md5", "content-type", "date"] as const;

/** The version from which on an empty body has no length in the signed text. */
const noZeroVersion = "2015-02-21";

/** The text that a key signs for the queue service. Source: learn.microsoft.com "Authorize with Shared Key". */
export function queueKeyText(scheme: KeyScheme, account: string, credentials: Credentials): string {
  const { method, path, query, header } = credentials;
  const isLight = scheme === "SharedKeyLite";
  const lines = (isLight ? lightHeaders : signedHeaders).map((name) => {
    const value = header(name) ?? "";
    if (name === "date" && header("x-ms-date") !== undefined) return "";
    const isZero = name === "content-length" && value === "0";
    return isZero && (header("x-ms-version") ?? "") >= noZeroVersion ? "" : value;
  });
  const comp = query.get("comp");
  const parameters = isLight ? (comp === undefined ? "" : `?comp=${comp}`) : signedParameters(query);
  const resource = `/${account}${path === "" ? "/" : path}${parameters}`;
  return [method, ...lines, ...signedOwnHeaders(credentials.headers()), resource].join("\n");
}

/** The service's own headers, by name in lower case, each as `name:value`. */
function signedOwnHeaders(headers: readonly (readonly [name: string, value: string])[]): string[] {
  const values = new Map<string, string[]>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (name.startsWith("x-ms-"))
      values.set(name, [...(values.get(name) ?? []), value.trim().replaceAll(/\s*\r?\n\s*/g, " ")]);
  }
  return inOrder(values).map(([name, all]) => `${name}:${all.join(",")}`);
}

function signedParameters(query: ReadonlyMap<string, string>): string {
  const lower = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return inOrder(lower)
    .map(([name, value]) => `\n${name}:${value}`)
    .join("");
}

const inOrder = <Value>(values: ReadonlyMap<string, Value>): (readonly [string, Value])[] =>
  [...values].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** The text that a queue's signature signs. Source: learn.microsoft.com "Create a service SAS". */
export const queueSasText = (account: string, queue: string, p: SasParameters): string =>
  [p["sp"], p["st"], p["se"], `/queue/${account}/${queue}`, p["si"], p["sip"], p["spr"], p["sv"]]
    .map((part) => part ?? "")
    .join("\n");
