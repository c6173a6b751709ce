import { StorageError, type StorageFailure } from "../../../values/errors/storage-error.ts";
import type { RawResponse } from "./exchange.ts";
import { readXml, textOfChild } from "../wire/read-xml.ts";

/** An error as the service reports it. */
export interface ServiceFault {
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Index of the failed operation, if a transaction's message begins with it. */
  readonly index: number | undefined;
}

/** From this offset on, a clock may explain refused signatures; the service tolerates 15 minutes. */
const skewMs = 5 * 60_000;

/** The error for a response with an error status. */
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
    fault.message ?? `The service responded with ${status}.`,
    failure,
  );
}

/**
 * A timeout or server error may be reported after the work was done, and so may a busy front end's refusal. Other
 * refusals come before it.
 */
export const mayBeApplied = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);

/** Reads an error body: JSON, either XML form, or nothing. */
export function readFault(text: string): ServiceFault {
  const trimmed = text.trim();
  const found = trimmed.startsWith("<") ? readXmlFault(trimmed) : readJson(trimmed);
  // The service adds request ID and time on further lines. A transaction's message begins with the operation's index.
  const [line = ""] = (found.message ?? "").split("\n");
  const index = /^(\d+):/.exec(line);
  return {
    code: found.code !== undefined && /^[A-Za-z][A-Za-z0-9]{0,79}$/.test(found.code) ? found.code : undefined,
    message: line === "" ? undefined : plain(line.slice((index?.[0] ?? "").length)).slice(0, 500),
    index: index === null ? undefined : Number(index[1]),
  };
}

/**
 * Removes control characters from a service's message, which could move a terminal's cursor or forge log lines, and the
 * credentials of a quoted request.
 */
const plain = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ")
    .replaceAll(/\bsig(=|%3D)[^\s&"'<>]*/gi, "sig$1…")
    .replaceAll(/\b(Bearer|SharedKey(?:Lite)?) [^\s"'<>]+/gi, "$1 …");

/** The request ID, if it is a GUID, as the service's are. */
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

/** The requested delay: Cosmos DB sends milliseconds, others whole seconds. The service does not use the date form. */
function retryAfter(headers: RawResponse["headers"]): Pick<StorageFailure, "retryAfterMs"> {
  const [ms, seconds] = [headers["x-ms-retry-after-ms"], headers["retry-after"]];
  if (typeof ms === "string" && /^\d{1,8}$/.test(ms)) return { retryAfterMs: Number(ms) };
  if (typeof seconds === "string" && /^\d{1,5}$/.test(seconds))
    return { retryAfterMs: Number(seconds) * 1000 };
  return {};
}

/** The offset between a time and the service's clock, in milliseconds; undefined if it is small. */
export function clockSkew(date: string | string[] | undefined, now: number): number | undefined {
  const skew = typeof date === "string" ? now - Date.parse(date) : Number.NaN;
  return Math.abs(skew) > skewMs ? skew : undefined;
}

function clockSkewed(skew: number, failure: StorageFailure): StorageError {
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const direction = skew > 0 ? "ahead of" : "behind";
  return new StorageError(
    "storage.clock-skew",
    `The service refused the signature. This machine's clock is ${minutes} minutes ${direction} the service's clock, and signing with the service's time did not help. Set the clock, and check the account key.`,
    failure,
  );
}

function redirectRefused(status: number): StorageError {
  return new StorageError(
    "storage.redirect-refused",
    `The server responded with a redirect (${status}). Redirects are never followed, since signed requests go to the configured endpoint only. Check the endpoint.`,
    { applied: "no", status },
  );
}
