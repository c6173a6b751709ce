import {
  type Meter,
  type MeterProvider,
  metrics,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { describeEvent } from "./describe-event.ts";
import { instrumentChannel } from "./instrument-channel.ts";
import { allActivities, checkConfig, type PartitaInstrumentationConfig } from "./instrumentation-config.ts";
import { Measurements } from "./measurements.ts";
import { measurePartitions } from "./measure-partitions.ts";
import { ownVersion } from "./own-version.ts";

/**
 * Creates spans and metrics for Partita's saves, queries, requests, queues, tasks and steps. It patches
 * nothing: it subscribes to the tracing channels that Partita publishes, so you can create it before or after
 * importing Partita. No span or metric contains a property value, a key, the text of a filter or a secret.
 * For an error it contains the code, not the message. It is an `Instrumentation` as defined by
 * `@opentelemetry/instrumentation`:
 *
 * @example
 * ```ts
 * import { registerInstrumentations } from "@opentelemetry/instrumentation";
 *
 * registerInstrumentations({ instrumentations: [new PartitaInstrumentation()] });
 * ```
 */
export class PartitaInstrumentation {
  readonly instrumentationName = "@partita/opentelemetry" as const;
  readonly instrumentationVersion: string = ownVersion;
  #config: PartitaInstrumentationConfig;
  #tracerProvider: TracerProvider | undefined;
  #meterProvider: MeterProvider | undefined;
  /** Stop functions. Undefined while it is disabled. */
  #stops: (() => void)[] | undefined;

  /** @throws TypeError, RangeError for an unknown configuration */
  constructor(config: PartitaInstrumentationConfig = {}) {
    checkConfig(config);
    this.#config = { enabled: true, ...config };
    if (this.#config.enabled === true) this.enable();
  }

  /** Starts. Does nothing if it is enabled. */
  enable(): void {
    if (this.#stops !== undefined) return;
    const { only = allActivities, requireParentSpan = false, partitionsOf = [], hottest = 10 } = this.#config;
    const meter = this.#meter();
    const observer = { tracer: this.#tracer(), measurements: new Measurements(meter), requireParentSpan };
    this.#stops = [
      ...only.map((name) => instrumentChannel(`partita:${name}`, describeEvent[name], observer)),
      measurePartitions(meter, partitionsOf, hottest),
    ];
  }

  /** Stops. Open spans still end with their work. */
  disable(): void {
    for (const stop of this.#stops ?? []) stop();
    this.#stops = undefined;
  }

  /** Sets the provider of spans. By default the global provider. */
  setTracerProvider(provider: TracerProvider): void {
    this.#tracerProvider = provider;
    this.#beginAgain();
  }

  /** Sets the provider of metrics. By default the global provider at the time it was enabled. */
  setMeterProvider(provider: MeterProvider): void {
    this.#meterProvider = provider;
    this.#beginAgain();
  }

  getConfig(): PartitaInstrumentationConfig {
    return this.#config;
  }

  /** @throws the errors of the constructor */
  setConfig(config: PartitaInstrumentationConfig): void {
    checkConfig(config);
    this.#config = { enabled: true, ...config };
    this.#beginAgain();
  }

  #beginAgain(): void {
    if (this.#stops === undefined) return;
    this.disable();
    this.enable();
  }

  #tracer(): Tracer {
    const provider = this.#tracerProvider ?? trace.getTracerProvider();
    return provider.getTracer(this.instrumentationName, this.instrumentationVersion);
  }

  #meter(): Meter {
    const provider = this.#meterProvider ?? metrics.getMeterProvider();
    return provider.getMeter(this.instrumentationName, this.instrumentationVersion);
  }
}
