import { isNativeError } from "node:util/types";
import type { Attributes } from "@opentelemetry/api";

/** The response data of an event. */
interface MayBeAnswered {
  readonly error?: unknown;
  readonly status?: number;
  readonly requestId?: string;
}

/**
 * The stable code of an error of Partita or Node, otherwise the name of its class. Messages are left out
 * because they contain keys.
 */
export function errorTypeOf(error: unknown): string {
  if (!isNativeError(error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[\w.-]{1,100}$/.test(code) ? code : error.constructor.name;
}

/**
 * The status of the response, and the service's id of the request. A refusal inside a transaction has its own
 * status.
 */
export function statusOf(event: object): Attributes {
  const { error, status, requestId } = event as MayBeAnswered;
  const failure = (error ?? {}) as MayBeAnswered;
  const [code, id] = [failure.status ?? status, failure.requestId ?? requestId];
  return {
    ...(code !== undefined && { "db.response.status_code": String(code) }),
    ...(id !== undefined && { "azure.service.request.id": id }),
  };
}
