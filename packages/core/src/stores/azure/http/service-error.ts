import { StorageError, type StorageFailure } from "../../../values/errors/storage-error.ts";
import type { RawResponse } from "./exchange.ts";
import { readXml, textOfChild } from "../wire/read-xml.ts";

/** What the service says went wrong. */
export interface ServiceFault {
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Position of the failing operation, where a transaction's message begins with it. */
  readonly index: number | undefined;
}

/** A clock this far off makes the service refuse signatures; it tolerates 15 minutes. */
const skewMs = 5 * 60_000;

/** The error for an answer whose status is none of success. */
export function serviceError(
  response: RawResponse,
  { isWrite, isSigned }: { readonly isWrite: boolean; readonly isSigned: boolean },
): StorageError {
  const { status, headers } = response;
  if (status >= 300 && status < 400) return redirectRefused(status);
  const fault = readFault(response.text());
  const requestId = requestIdOf(headers);
  const failure: StorageFailure = {
    applied: isWrite && mayBeApplied(status) ? "maybe" : "no",
    status,
    ...(fault.code !== undefined && { serviceCode: fault.code }),
    ...(fault.index !== undefined && { index: fault.index }),
    ...(requestId !== undefined && { requestId }),
    ...retryAfter(headers),
  };
  if (isSigned && status === 403 && (fault.code ?? "AuthenticationFailed") === "AuthenticationFailed") {
    const skew = clockSkew(headers["date"], Date.now());
    if (skew !== undefined) return clockSkewed(skew, failure);
  }
  return StorageError.ofResponse(
    fault.code ?? `Status${status}`,
    fault.message ?? `The service answered ${status}.`,
    failure,
  );
}

/**
 * Timeouts and faults of the service may come after the work was done, and so may the refusal of a busy front end;
 * other refusals come before it.
 */
export const mayBeApplied = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);

/** Reads an error body: JSON, either XML form, or nothing. */
export function readFault(text: string): ServiceFault {
  const trimmed = text.trim();
  const found = trimmed.startsWith("<") ? readXmlFault(trimmed) : readJson(trimmed);
  // The service adds request id and time on further lines; a transaction's message begins with the operation's index.
  const [line = ""] = (found.message ?? "").split("\n");
  const index = /^(\d+):/.exec(line);
  return {
    code: found.code !== undefined && /^[A-Za-z][A-Za-z0-9]{0,79}$/.test(found.code) ? found.code : undefined,
    message: line === "" ? undefined : plain(line.slice((index?.[0] ?? "").length)).slice(0, 500),
    index: index === null ? undefined : Number(index[1]),
  };
}

/**
 * A service's words without what moves a terminal's cursor or begins a line of a log, and without the credentials of a
 * request that it quotes.
 */
const plain = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ")
    .replaceAll(/\bsig(=|%3D)[^\s&"'<>]*/gi, "sig$1…")
    .replaceAll(/\b(Bearer|SharedKey(?:Lite)?) [^\s"'<>]+/gi, "$1 …");

/** The id of a request, when it is one: the service's are GUIDs. */
export function requestIdOf({ "x-ms-request-id": id }: RawResponse["headers"]): string | undefined {
  return typeof id === "string" && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

interface FoundFault {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

function readJson(text: string): FoundFault {
  try {
    const response = JSON.parse(text) as Record<string, unknown>;
    const fault = (response["odata.error"] ?? response["error"] ?? response) as
      | { code?: unknown; message?: { value?: unknown } | string }
      | undefined;
    const message = typeof fault?.message === "object" ? fault.message.value : fault?.message;
    return { code: asText(fault?.code), message: asText(message) };
  } catch {
    return {};
  }
}

function readXmlFault(text: string): FoundFault {
  try {
    const [, root] = readXml(text);
    return {
      code: textOfChild(root, "Code") ?? textOfChild(root, "code"),
      message: textOfChild(root, "Message") ?? textOfChild(root, "message"),
    };
  } catch {
    return {};
  }
}

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** How long to wait: milliseconds as Cosmos says it, else whole seconds; the date form is not used by the service. */
function retryAfter(headers: RawResponse["headers"]): Pick<StorageFailure, "retryAfterMs"> {
  const [ms, seconds] = [headers["x-ms-retry-after-ms"], headers["retry-after"]];
  if (typeof ms === "string" && /^\d{1,8}$/.test(ms)) return { retryAfterMs: Number(ms) };
  if (typeof seconds === "string" && /^\d{1,5}$/.test(seconds))
    return { retryAfterMs: Number(seconds) * 1000 };
  return {};
}

/** How far a time is from the service's clock, in milliseconds; undefined when it is not far. */
export function clockSkew(date: string | string[] | undefined, now: number): number | undefined {
  const skew = typeof date === "string" ? now - Date.parse(date) : Number.NaN;
  return Math.abs(skew) > skewMs ? skew : undefined;
}

function clockSkewed(skew: number, failure: StorageFailure): StorageError {
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const direction = skew > 0 ? "ahead of" : "behind";
  return new StorageError(
    "storage.clock-skew",
    `The service refused the signature: this machine's clock is ${minutes} minutes ${direction} the service's, and the service's own time did not help. Set the clock, and check the account's key.`,
    failure,
  );
}

function redirectRefused(status: number): StorageError {
  return new StorageError(
    "storage.redirect-refused",
    `The server answered with a redirect (${status}), which is never followed: signed requests go to the configured endpoint only. Check the endpoint.`,
    { applied: "no", status },
  );
}
