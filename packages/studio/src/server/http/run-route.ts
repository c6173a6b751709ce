import { isNativeError } from "node:util/types";
import type { ApiProblem } from "../../api/problem.ts";
import { RequestError } from "../request-error.ts";

/** A parsed request of the page. */
export interface ApiRequest {
  readonly method: string;
  /** The path after `/api/`, such as `rows/page`. */
  readonly path: string;
  /** The parsed JSON of a POST. Undefined for a GET. */
  readonly body: unknown;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** Handles one path of the API. Its result is sent as JSON. */
type Route = (body: unknown, signal: AbortSignal) => unknown;

/** The routes of the API by method and path: `POST rows/page`. */
export type Routes = Readonly<Record<string, Route>>;

/** The parts of a response. */
export interface Response {
  readonly status: number;
  readonly json: unknown;
}

/**
 * Responds to a request of the API. It does not throw: every error becomes a response with a code and a
 * message.
 *
 * @param isReadOnly - refuses the routes that change data
 */
export async function runRoute(
  routes: Routes,
  changing: ReadonlySet<string>,
  { method, path, body, signal }: ApiRequest,
  isReadOnly: boolean,
): Promise<Response> {
  const name = `${method} ${path}`;
  try {
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (route === undefined) throw RequestError.notFound("such request");
    if (isReadOnly && changing.has(name)) throw RequestError.readOnly();
    return { status: 200, json: (await route(body, signal)) ?? null };
  } catch (error) {
    return responseOf(error);
  }
}

/** The response for an error. It contains the error's own message if that is meant for users. */
export function responseOf(error: unknown): Response {
  if (RequestError.is(error)) {
    const { status, code: own, message, property } = error;
    return problem(status, own, message, property);
  }
  const code = isNativeError(error) && "code" in error ? error.code : undefined;
  // Errors of the core have stable codes, and their messages contain no property values or secrets.
  if (isNativeError(error) && typeof code === "string")
    return problem(422, code, error.message, propertyOf(error));
  const message = isNativeError(error) ? error.message : `A ${typeof error} was thrown.`;
  return problem(500, "studio.failed", message);
}

const problem = (status: number, code: string, message: string, property?: string): Response => ({
  status,
  json: { code, message, property } satisfies ApiProblem,
});

/** The property that an error of the core names in its details. */
function propertyOf(error: Error): string | undefined {
  const { property } = (error as { details?: { property?: unknown } }).details ?? {};
  return typeof property === "string" ? property : undefined;
}
