import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseForms } from "../wire/response-forms.ts";

/** A request with its future response. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * The time of the request, for the response's Date header. If Node sets this header itself, it checks every other
   * header twice.
   */
  readonly date: string;
  readonly forms: ResponseForms;
  /** Called when the response is sent: whether the connection ends after it. */
  readonly isLast: () => boolean;
}
