// Names follow OpenTelemetry's semantic conventions for databases and messaging where they exist.
import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { QueryEvent, RequestEvent, SaveEvent } from "@partita/core/observe";
import type { QueueEvent } from "./queue-event.ts";
import type { EventDescription } from "./instrument-channel.ts";
import type { InstrumentedActivity } from "./instrumentation-config.ts";
import { placeOf } from "./place-attributes.ts";
import type { StepEvent, TaskEvent } from "./workflow-events.ts";

const query: EventDescription<QueryEvent> = {
  kind: SpanKind.INTERNAL,
  nameOf: ({ table }) => `read ${table}`,
  attributesOf: ({ storage, table, shape, type, rating, requests, index }) => ({
    ...placeOf(storage),
    "db.collection.name": table,
    // The conventions allow 255 characters.
    "db.query.summary": shape.slice(0, 255),
    "partita.query.plan": type,
    "partita.query.rating": rating,
    "partita.query.planned_requests": requests,
    ...(index !== undefined && { "partita.query.index": index }),
  }),
  resultsOf: ({ pages, rows, entities, unreadable, readMs }) => ({
    "db.response.returned_rows": entities,
    "partita.query.pages": pages,
    "partita.query.rows": rows,
    "partita.query.unreadable": unreadable,
    "partita.query.read_ms": readMs,
  }),
  measure: (measurements, { event, attributes }) => measurements.queried(event, attributes),
};

const request: EventDescription<RequestEvent> = {
  kind: SpanKind.CLIENT,
  nameOf: ({ type, table }) => `${type} ${table}`,
  attributesOf: ({ storage, table, type, operations, attempt }) => ({
    ...placeOf(storage),
    "db.collection.name": table,
    "db.operation.name": type,
    // By the conventions, a batch has at least two operations.
    ...(operations > 1 && { "db.operation.batch.size": operations }),
    ...(attempt > 1 && { "partita.attempt": attempt }),
  }),
  resultsOf: ({ rows, bytes, sentBytes }) => ({
    ...(rows !== undefined && { "db.response.returned_rows": rows }),
    ...(bytes !== undefined && { "partita.response.bytes": bytes }),
    ...(sentBytes !== undefined && { "partita.request.bytes": sentBytes }),
  }),
  measure: (measurements, ended) => measurements.requested(ended),
};

const save: EventDescription<SaveEvent> = {
  kind: SpanKind.INTERNAL,
  nameOf: () => "save",
  attributesOf: ({ storage, pending }) => ({ ...placeOf(storage), "partita.save.pending": pending }),
  resultsOf: ({ committed, rejected, unknown, attempts }) =>
    committed === undefined
      ? {}
      : counts({
          "partita.save.committed": committed,
          "partita.save.rejected": rejected,
          "partita.save.unknown": unknown,
          "partita.save.attempts": attempts,
        }),
  measure: (measurements, { event, attributes }) => measurements.saved(event, attributes),
};

const queue: EventDescription<QueueEvent> = {
  kind: SpanKind.CLIENT,
  nameOf: ({ type, queue: name }) => (name === undefined ? type : `${type} ${name}`),
  attributesOf: ({ type, queue: name, attempt }) => ({
    "messaging.system": "partita",
    "messaging.operation.name": type,
    ...(name !== undefined && { "messaging.destination.name": name }),
    ...(attempt > 1 && { "partita.attempt": attempt }),
  }),
  resultsOf: ({ messages }) => counts({ "messaging.batch.message_count": messages }),
};

const task: EventDescription<TaskEvent> = {
  kind: SpanKind.CONSUMER,
  nameOf: ({ kind = "message", name, queue: from }) => `${kind} ${name ?? from}`,
  attributesOf: ({ queue: from, kind, name, deliveries }) => ({
    "messaging.system": "partita",
    "messaging.operation.type": "process",
    "messaging.destination.name": from,
    "partita.task.deliveries": deliveries,
    ...(kind !== undefined && { "partita.task.kind": kind }),
    ...(name !== undefined && { "partita.task.name": name }),
  }),
  measure: (measurements, ended) => measurements.worked(ended),
};

const step: EventDescription<StepEvent> = {
  kind: SpanKind.INTERNAL,
  nameOf: ({ workflow, step: name }) => `step ${workflow}/${name}`,
  attributesOf: ({ workflow, step: name, n }) => ({
    "partita.workflow.name": workflow,
    "partita.step.name": name,
    "partita.step.n": n,
  }),
};

/** Only the known counts. */
const counts = (named: Readonly<Record<string, number | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(named).filter(([, count]) => count !== undefined));

/** The description of each channel's events. */
export const describeEvent: Readonly<Record<InstrumentedActivity, EventDescription<never>>> = {
  query,
  request,
  save,
  queue,
  task,
  step,
};
