import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { PartitaInstrumentation, type PartitaInstrumentationConfig } from "../src/index.ts";

/** What a test sees of spans and metrics; nothing is left behind when it is disposed of. */
export interface Telemetry extends AsyncDisposable {
  readonly instrumentation: PartitaInstrumentation;
  /** Spans that have ended, in that order. */
  spans(): readonly ReadableSpan[];
  /** Their names as a tree: `root` > `save` > `transact Blogs`. */
  tree(): readonly string[];
  /** The points of a metric. */
  points(name: string): Promise<readonly { attributes: object; value: unknown }[]>;
  /** All of it as one text. */
  text(): Promise<string>;
  /** Runs work inside of a span of the test's own. */
  inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

class ReadMetrics extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Registers the instrumentation as a program does. */
export function startTelemetry(config: PartitaInstrumentationConfig = {}): Telemetry {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const reader = new ReadMetrics();
  const meterProvider = new MeterProvider({ readers: [reader] });
  const instrumentation = new PartitaInstrumentation(config);
  const unregister = registerInstrumentations({
    tracerProvider,
    meterProvider,
    instrumentations: [instrumentation],
  });
  const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
  const collected = async (): Promise<{ descriptor: { name: string }; dataPoints: readonly Point[] }[]> =>
    (await reader.collect()).resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics as never[]);
  return {
    instrumentation,
    spans,
    tree() {
      const nameOf = (span: ReadableSpan): string => {
        const parent = spans().find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId);
        return parent === undefined ? span.name : `${nameOf(parent)} > ${span.name}`;
      };
      return spans().map(nameOf);
    },
    async points(name) {
      const found = (await collected()).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => ({ attributes, value }));
    },
    async text() {
      const reported = spans().map(({ name, attributes, events, status }) => [
        name,
        attributes,
        events,
        status,
      ]);
      return JSON.stringify([reported, await collected()]);
    },
    inSpan: (name, work) =>
      tracerProvider.getTracer("test").startActiveSpan(name, (span) => work().finally(() => span.end())),
    async [Symbol.asyncDispose]() {
      unregister();
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
      context.disable();
      trace.disable();
      metrics.disable();
    },
  };
}

interface Point {
  readonly attributes: object;
  readonly value: unknown;
}
