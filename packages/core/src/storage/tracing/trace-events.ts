import type { ResponseFacts } from "../table-storage.ts";

/** A request that is about to be sent. */
export interface SentRequest {
  readonly type: "query" | "get" | "write" | "transact";
  readonly table: string;
  /** Operations of a write: 1, or up to 100 of a transaction; 0 for a read. */
  readonly operations: number;
  /** The number of the attempt, starting from 1. */
  readonly attempt: number;
}

/**
 * The event of a request to tables in the tracing channel `partita:request`: without keys, values or credentials.
 * Optional members are set when the request has ended; if it failed, the channel adds `error`.
 */
export interface RequestEvent extends SentRequest, ResponseFacts {
  /** The storage's location. */
  readonly storage: string;
  /** Rows of a read. */
  readonly rows?: number;
}

/**
 * The event of a save in `partita:save`. Optional members are set when it has ended, even if only a part was stored.
 */
export interface SaveEvent {
  /** The storage's location. */
  readonly storage: string;
  /** Entities with pending changes. */
  readonly pending: number;
  readonly committed?: number;
  readonly rejected?: number;
  readonly unknown?: number;
  /** The largest number of requests that were sent for one change. */
  readonly attempts?: number;
}

/**
 * The event of a query in `partita:query`, from its first request until its reader stops; it contains no values. Counts
 * are complete when it has ended.
 */
export interface QueryEvent {
  /** The conditions, without values: `Blog: channel eq and postedOn ge`. */
  readonly shape: string;
  readonly table: string;
  /** The storage's location. */
  readonly storage: string;
  /** The worst type among its requests: `point`, `row range scan`, …, `table scan`. */
  readonly type: string;
  /** How well this type scales with the table's size: `best`, `good`, `fair`, `poor`, `worst`. */
  readonly rating: string;
  /** Requests of the plan; each takes one response, or one per page. */
  readonly requests: number;
  /** The index that the query uses; absent for the keys of the class itself. */
  readonly index?: string;
  /** Responses that were read. */
  readonly pages: number;
  /** Rows returned by storage, before filtering in this process. */
  readonly rows: number;
  /** Entities that were returned; for `count`, those that were counted. */
  readonly entities: number;
  /** Rows that could not be read as entities: left out, or returned in their stored form. */
  readonly unreadable: number;
  /** The time spent on reading, in milliseconds, without the time of the loop that consumes the entities. */
  readonly readMs: number;
}
