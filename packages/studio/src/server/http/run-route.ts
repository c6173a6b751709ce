import { isNativeError } from "node:util/types";
import { RequestError } from "../request-error.ts";

/** A request of the page, parsed. */
export interface ApiRequest {
  readonly method: string;
  /** Below `/api/`, such as `rows/page`. */
  readonly path: string;
  /** The parsed JSON of a POST; undefined for a GET. */
  readonly body: unknown;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers one path of the API; what it returns is sent as JSON. */
type Route = (body: unknown, signal: AbortSignal) => unknown;

/** The routes of the API by method and path: `POST rows/page`. */
export type Routes = Readonly<Record<string, Route>>;

/** The parts of an answer. */
export interface Response {
  readonly status: number;
  readonly json: unknown;
}

/**
 * Answers a request of the API. It does not throw: whatever goes wrong becomes an answer with a code and a message.
 *
 * @param isReadOnly - refuses the routes that change something
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

/** What an error is answered with: its own message where it was made for people. */
export function responseOf(error: unknown): Response {
  if (RequestError.is(error))
    return { status: error.status, json: { code: error.code, message: error.message } };
  const code = isNativeError(error) && "code" in error ? error.code : undefined;
  // Errors of the core have stable codes, and no property values or secrets in their messages.
  if (isNativeError(error) && typeof code === "string")
    return { status: 422, json: { code, message: error.message } };
  return {
    status: 500,
    json: {
      code: "studio.failed",
      message: isNativeError(error) ? error.message : `A ${typeof error} was thrown.`,
    },
  };
}
