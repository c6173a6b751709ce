import { isError } from "../../../values/errors/built-ins.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";
import type { ServicePlace } from "../service.ts";
import { isUnreachable, unreachable, unreachableThrough } from "./unreachable.ts";

/** The code of an answer that stopped in the middle; undici's word, which the other transport uses too. */
const idleCode = "UND_ERR_BODY_TIMEOUT";

/** What ends a connection that was not made in time. */
export const connectTimeout = (): Error => failure("UND_ERR_CONNECT_TIMEOUT");

/** What ends an answer that stopped in the middle. */
export const idleTimeout = (): Error => failure(idleCode);

/** What ends an answer whose connection was closed before its end. */
export const brokenOff = (): Error => failure("ECONNRESET");

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** What a failed connection means for its request. */
export function connectionError(
  place: ServicePlace,
  error: unknown,
  applied: "no" | "maybe",
  hasLeft: boolean,
  hasResponse: boolean,
): StorageError {
  const code = codeOf(error);
  if (code === idleCode)
    return new StorageError("storage.timeout", "The answer stopped in the middle.", { applied });
  if (!hasLeft && place.proxy !== undefined) return unreachableThrough(place, place.proxy, code, error);
  // The same codes also end connections that a request has already gone over.
  if (!hasLeft && isUnreachable(code)) return unreachable(place, code, error);
  // The parser's error quotes the answer, so it is not passed on as the cause.
  if (code?.startsWith("HPE_") === true || (isError(error) && error.name === "HTTPParserError"))
    return new StorageError(
      "storage.malformed-response",
      `The server's answer is not HTTP. Check that the endpoint is a ${place.service.name} service.`,
      { applied },
    );
  const what = hasResponse
    ? "The answer broke off before its end"
    : "The connection broke before an answer came";
  const name = hasResponse ? "storage.truncated" : "storage.connection-lost";
  return new StorageError(name, `${what} (${code ?? "connection reset"}).`, { applied }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  const failure = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] } | null;
  // Happy eyeballs: the errors of several addresses come as one.
  const first = failure?.errors?.[0];
  if (first !== undefined) return codeOf(first);
  return typeof failure?.code === "string" ? failure.code : undefined;
}

export const timedOut = (timeoutMs: number, applied: "no" | "maybe"): StorageError =>
  new StorageError("storage.timeout", `No whole answer came within ${timeoutMs} ms.`, { applied });

export const responseTooLarge = (maxBytes: number, applied: "no" | "maybe"): StorageError =>
  new StorageError(
    "storage.response-too-large",
    `The answer is longer than ${maxBytes} bytes, which no answer of the service is.`,
    { applied },
  );
