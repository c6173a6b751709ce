import { type Attributes, type Counter, type Histogram, type Meter, ValueType } from "@opentelemetry/api";
import type { QueryEvent, RequestEvent, SaveEvent } from "@partita/core/observe";
import type { EndedEvent } from "./ended-event.ts";
import { statusOf } from "./failure.ts";
import type { TaskEvent } from "./workflow-events.ts";

/** Seconds. Source: OpenTelemetry's "Semantic conventions for database client metrics". */
const durations = { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] };

/** Rows of a response. A table service returns at most 1,000. */
const sizes = { explicitBucketBoundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] };

/**
 * The metrics. Attributes are names of tables, tasks and hosts, kinds and codes, so their number is bounded.
 */
export class Measurements {
  readonly #requests: Histogram;
  readonly #rows: Histogram;
  readonly #retries: Counter;
  readonly #queries: Counter;
  readonly #changes: Counter;
  readonly #tasks: Histogram;

  constructor(meter: Meter) {
    this.#requests = meter.createHistogram("db.client.operation.duration", {
      description: "Duration of requests to tables, for each attempt",
      unit: "s",
      advice: durations,
    });
    this.#rows = meter.createHistogram("db.client.response.returned_rows", {
      description: "Rows of read responses",
      unit: "{row}",
      valueType: ValueType.INT,
      advice: sizes,
    });
    this.#retries = meter.createCounter("partita.request.retries", {
      description: "Retried requests",
      unit: "{request}",
      valueType: ValueType.INT,
    });
    this.#queries = meter.createCounter("partita.queries", {
      description: "Queries by their plans",
      unit: "{query}",
      valueType: ValueType.INT,
    });
    this.#changes = meter.createCounter("partita.save.changes", {
      description: "Saved changes, by outcome",
      unit: "{change}",
      valueType: ValueType.INT,
    });
    this.#tasks = meter.createHistogram("partita.task.duration", {
      description: "Duration of processing a message",
      unit: "s",
      advice: durations,
    });
  }

  requested({ event, attributes, seconds }: EndedEvent<RequestEvent>): void {
    const about = {
      ...picked(attributes, [...ofPlace, "db.collection.name", "db.operation.name", "error.type"]),
      ...picked(statusOf(event), ["db.response.status_code"]),
    };
    this.#requests.record(seconds, about);
    if (event.rows !== undefined) this.#rows.record(event.rows, about);
    if (event.attempt > 1) this.#retries.add(1, picked(about, ["db.collection.name", "db.operation.name"]));
  }

  queried({ type }: QueryEvent, attributes: Attributes): void {
    const named = picked(attributes, ["db.collection.name", "error.type"]);
    this.#queries.add(1, { ...named, "partita.query.plan": type });
  }

  saved({ committed = 0, rejected = 0, unknown = 0 }: SaveEvent, attributes: Attributes): void {
    const place = picked(attributes, ofPlace);
    for (const [outcome, count] of Object.entries({ committed, rejected, unknown }))
      if (count > 0) this.#changes.add(count, { ...place, "partita.save.outcome": outcome });
  }

  worked({ attributes, seconds }: EndedEvent<TaskEvent>): void {
    const named = ["messaging.destination.name", "partita.task.kind", "partita.task.name", "error.type"];
    this.#tasks.record(seconds, picked(attributes, named));
  }
}

const ofPlace = ["db.system.name", "server.address", "server.port"];

function picked(attributes: Attributes, names: readonly string[]): Attributes {
  const found: Attributes = {};
  for (const name of names) if (attributes[name] !== undefined) found[name] = attributes[name];
  return found;
}
