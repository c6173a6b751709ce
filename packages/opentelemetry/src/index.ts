// OpenTelemetry for Partita: spans and metrics from its tracing channels.

export { PartitaInstrumentation } from "./partita-instrumentation.ts";
export type { InstrumentedActivity, PartitaInstrumentationConfig } from "./instrumentation-config.ts";
export type { WatchedPartitions } from "./watched-partitions.ts";
