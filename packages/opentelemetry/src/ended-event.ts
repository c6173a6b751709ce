import type { Attributes } from "@opentelemetry/api";

/** An event that has ended. */
export interface EndedEvent<Event> {
  readonly event: Event;
  /** Those of its beginning, and what went wrong. */
  readonly attributes: Attributes;
  readonly seconds: number;
}
