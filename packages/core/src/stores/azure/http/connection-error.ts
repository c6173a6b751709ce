import { isError } from "../../../values/errors/built-ins.ts";
import { StorageError } from "../../../values/errors/storage-error.ts";
import type { ServicePlace } from "../service.ts";
import { isUnreachable, unreachable, unreachableThrough } from "./unreachable.ts";

/** The error code for a response that stalled. It is undici's code; the other transport uses it too. */
const idleCode = "UND_ERR_BODY_TIMEOUT";

/** The error for a connection that timed out. */
export const connectTimeout = (): Error => failure("UND_ERR_CONNECT_TIMEOUT");

/** The error for a response that stalled. */
export const idleTimeout = (): Error => failure(idleCode);

/** The error for a connection that was closed before the response was complete. */
export const brokenOff = (): Error => failure("ECONNRESET");

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Converts a connection failure to the error of its request. */
export function connectionError(
  place: ServicePlace,
  error: unknown,
  applied: "no" | "maybe",
  hasLeft: boolean,
  hasResponse: boolean,
): StorageError {
  const code = codeOf(error);
  if (code === idleCode)
    return new StorageError("storage.timeout", "The response stalled before it was complete.", { applied });
  if (!hasLeft && place.proxy !== undefined) return unreachableThrough(place, place.proxy, code, error);
  // These codes also occur on connections that have already carried a request.
  if (!hasLeft && isUnreachable(code)) return unreachable(place, code, error);
  // The parser's error quotes the response, so it is not used as `cause`.
  if (code?.startsWith("HPE_") === true || (isError(error) && error.name === "HTTPParserError"))
    return new StorageError(
      "storage.malformed-response",
      `The server's response is not HTTP. Check that the endpoint is a ${place.service.name} service.`,
      { applied },
    );
  const what = hasResponse
    ? "The connection closed before the response was complete"
    : "The connection broke before a response arrived";
  const name = hasResponse ? "storage.truncated" : "storage.connection-lost";
  return new StorageError(name, `${what} (${code ?? "connection reset"}).`, { applied }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  const failure = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] } | null;
  // Happy Eyeballs: the errors of several addresses arrive as one.
  const first = failure?.errors?.[0];
  if (first !== undefined) return codeOf(first);
  return typeof failure?.code === "string" ? failure.code : undefined;
}

export const timedOut = (timeoutMs: number, applied: "no" | "maybe"): StorageError =>
  new StorageError("storage.timeout", `No complete response arrived within ${timeoutMs} ms.`, { applied });

export const responseTooLarge = (maxBytes: number, applied: "no" | "maybe"): StorageError =>
  new StorageError(
    "storage.response-too-large",
    `The response is longer than ${maxBytes} bytes, the most that the service sends.`,
    { applied },
  );
