import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseForms } from "../wire/response-forms.ts";

/** A request, and its answer to be. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** When the request came, for the answer's header. Set on its own, Node would look at each other header twice. */
  readonly date: string;
  readonly forms: ResponseForms;
}
