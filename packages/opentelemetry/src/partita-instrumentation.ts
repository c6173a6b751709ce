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
 * Makes spans and metrics of Partita's saves, queries, requests, queues, tasks and steps. It patches nothing: it listens to
 * the tracing channels that Partita publishes, so that it may be made at any time, before or after Partita is imported.
 * No span or metric has a property value, a key, a filter's text or a secret; of an error they have its code, not its message.
 *
 * It is an `Instrumentation` as `@opentelemetry/instrumentation` defines it:
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
  /** Ends what was begun; undefined while it is disabled. */
  #stops: (() => void)[] | undefined;

  /** @throws TypeError, RangeError for a configuration that it does not know */
  constructor(config: PartitaInstrumentationConfig = {}) {
    checkConfig(config);
    this.#config = { enabled: true, ...config };
    if (this.#config.enabled === true) this.enable();
  }

  /** Begins; does nothing while it is enabled. */
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

  /** Ends; spans that have begun are ended as their work ends. */
  disable(): void {
    for (const stop of this.#stops ?? []) stop();
    this.#stops = undefined;
  }

  /** Spans go there from now on; without it, to the global provider. */
  setTracerProvider(provider: TracerProvider): void {
    this.#tracerProvider = provider;
    this.#beginAgain();
  }

  /** Metrics go there from now on; without it, to the global provider of the time when it was enabled. */
  setMeterProvider(provider: MeterProvider): void {
    this.#meterProvider = provider;
    this.#beginAgain();
  }

  getConfig(): PartitaInstrumentationConfig {
    return this.#config;
  }

  /** @throws as the constructor does */
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
