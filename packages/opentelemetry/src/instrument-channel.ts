import { tracingChannel, type TracingChannelSubscribers } from "node:diagnostics_channel";
import {
  type Attributes,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { AroundWork } from "@partita/core/observe";
import type { EndedEvent } from "./ended-event.ts";
import { errorTypeOf, statusOf } from "./failure.ts";
import type { Measurements } from "./measurements.ts";

/** Describes how events of a channel become spans and measurements. */
export interface EventDescription<Event> {
  readonly kind: SpanKind;
  readonly nameOf: (event: Event) => string;
  /** The attributes at the start, which every measurement has. */
  readonly attributesOf: (event: Event) => Attributes;
  /** The attributes at the end. */
  readonly resultsOf?: (event: Event) => Attributes;
  readonly measure?: (measurements: Measurements, ended: EndedEvent<Event>) => void;
}

export interface ChannelObserver {
  readonly tracer: Tracer;
  readonly measurements: Measurements;
  readonly requireParentSpan: boolean;
}

interface Begun {
  readonly span: Span | undefined;
  readonly attributes: Attributes;
  readonly at: number;
}

/** The error that a channel adds to the event of failed work. */
interface MayFail {
  readonly error?: unknown;
}

/**
 * Creates a span for each event of a channel, makes it active while the event's work runs, and measures it.
 * Returns a function that stops this. Open spans still end with their work.
 */
export function instrumentChannel<Event extends object>(
  name: string,
  description: EventDescription<Event>,
  { tracer, measurements, requireParentSpan }: ChannelObserver,
): () => void {
  const running = new WeakMap<object, Begun>();
  let [open, isStopped] = [0, false];
  const channel = tracingChannel<object, Event & AroundWork & MayFail>(name);
  const subscribers: TracingChannelSubscribers<Event & AroundWork & MayFail> = {
    start(event) {
      if (isStopped) return;
      const attributes = description.attributesOf(event);
      const isRequest = description.kind === SpanKind.CLIENT || description.kind === SpanKind.PRODUCER;
      const isLeftOut = requireParentSpan && isRequest && trace.getActiveSpan() === undefined;
      const { kind } = description;
      const span = isLeftOut ? undefined : tracer.startSpan(description.nameOf(event), { kind, attributes });
      running.set(event, { span, attributes, at: performance.now() });
      open++;
      if (span !== undefined) runInside(span, event);
    },
    end: nothing,
    asyncStart: nothing,
    error: nothing,
    asyncEnd(event) {
      const begun = running.get(event);
      if (begun === undefined) return;
      const { span, at } = begun;
      const errorType = "error" in event ? errorTypeOf(event.error) : undefined;
      const attributes = { ...begun.attributes, ...(errorType && { "error.type": errorType }) };
      description.measure?.(measurements, { event, attributes, seconds: (performance.now() - at) / 1000 });
      if (span !== undefined)
        endSpan(span, errorType, { ...description.resultsOf?.(event), ...statusOf(event) });
      running.delete(event);
      open--;
      if (isStopped) leave();
    },
  };
  // Open spans must still be ended.
  const leave = (): void => void (open === 0 && channel.unsubscribe(subscribers));
  channel.subscribe(subscribers);
  return () => {
    isStopped = true;
    leave();
  };
}

const nothing = (): undefined => undefined;

/** Runs the work of an event with its span active, so spans of nested work become its children. */
function runInside(span: Span, event: AroundWork): void {
  const active = trace.setSpan(context.active(), span);
  const { around = (work) => work() } = event;
  event.around = (work) => around(() => context.with(active, work));
}

function endSpan(span: Span, errorType: string | undefined, results: Attributes): void {
  span.setAttributes(results);
  if (errorType !== undefined) {
    span.setAttribute("error.type", errorType);
    // Messages of errors contain keys, so the code is used instead.
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorType });
  }
  span.end();
}
