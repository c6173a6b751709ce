import type { ResponseFacts } from "../table-storage.ts";

/** One request that is about to be sent. */
export interface SentRequest {
  readonly type: "query" | "get" | "write" | "transact";
  readonly table: string;
  /** Operations of a write: 1, or up to 100 of a transaction; 0 for a read. */
  readonly operations: number;
  /** Which try this is, counted from 1. */
  readonly attempt: number;
}

/**
 * A request to tables as it is published in the tracing channel `partita:request`: without keys, values or credentials.
 * What is optional is there when the request has ended; of one that failed, the channel adds `error`.
 */
export interface RequestEvent extends SentRequest, ResponseFacts {
  /** Where the tables are. */
  readonly storage: string;
  /** Rows of a read. */
  readonly rows?: number;
}

/** A save as it is published in `partita:save`. What is optional is there when it has ended, wholly or in part. */
export interface SaveEvent {
  /** Where the tables are. */
  readonly storage: string;
  /** Entities with something to save. */
  readonly pending: number;
  readonly committed?: number;
  readonly rejected?: number;
  readonly unknown?: number;
  /** Requests that were sent for the change that took most of them. */
  readonly attempts?: number;
}

/**
 * A query as it is published in `partita:query`, from its first request until its reader stops: without values. Counts are
 * complete when it has ended.
 */
export interface QueryEvent {
  /** What is asked, without values: `Blog: channel eq and postedOn ge`. */
  readonly shape: string;
  readonly table: string;
  /** Where the tables are. */
  readonly storage: string;
  /** The worst type among its requests: `point`, `row range scan`, …, `table scan`. */
  readonly type: string;
  /** How good that is for a table of any size: `best`, `good`, `fair`, `poor`, `worst`. */
  readonly rating: string;
  /** Requests of the plan; each takes one answer, or one a page. */
  readonly requests: number;
  /** The index that answers it; absent for the keys of the class itself. */
  readonly index?: string;
  /** Answers that were read. */
  readonly pages: number;
  /** Rows that came, before they were checked here. */
  readonly rows: number;
  /** What was handed over; for `count`, what was counted. */
  readonly entities: number;
  /** Rows that could not be read as entities: left out, or handed over as they are stored. */
  readonly unreadable: number;
  /** The time that reading took, in milliseconds: without that of the loop which takes the entities. */
  readonly readMs: number;
}
