import type { Attributes } from "@opentelemetry/api";

/** An event that has ended. */
export interface EndedEvent<Event> {
  readonly event: Event;
  /** The attributes from its start, and its error. */
  readonly attributes: Attributes;
  readonly seconds: number;
}
