// OpenTelemetry for Partita: spans and metrics of what its tracing channels publish.

export { PartitaInstrumentation } from "./partita-instrumentation.ts";
export type { InstrumentedActivity, PartitaInstrumentationConfig } from "./instrumentation-config.ts";
export type { WatchedPartitions } from "./watched-partitions.ts";
