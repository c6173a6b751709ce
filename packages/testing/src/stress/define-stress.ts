import type { EntityClass, TableStorage } from "@partita/core";
import { checkStressOptions, type StressOptions } from "./stress-options.ts";
import { stressPartition } from "./stress-partition.ts";
import type { StressReport } from "./stress-report.ts";

/** Options that the command line can override. */
export type StressOverrides = Pick<StressOptions, "rate" | "seconds" | "target" | "onProgress" | "signal">;

/** A stress test that a module exports for `partita stress`. */
export interface StressDefinition {
  /** The name of the entity class. */
  readonly entity: string;
  /** Its own rates and target. */
  readonly options: Pick<StressOptions, "rate" | "seconds" | "target">;
  /** Runs it. @throws as `stressPartition` does */
  run(storage: TableStorage, overrides?: StressOverrides): Promise<StressReport>;
}

/** Lets the command recognise definitions from any copy of this package. */
const mark: unique symbol = Symbol.for("@partita/testing stress");

/**
 * Defines a stress test for `partita stress`. A module exports one or several; the command chooses the storage.
 *
 * @param options - the same as for `stressPartition`
 * @throws OptionError `stress.option`
 */
export function defineStress<const Class extends EntityClass>(
  entityClass: Class,
  options: StressOptions<Class>,
): StressDefinition {
  checkStressOptions(options);
  const { rate, seconds, target } = options;
  const definition: StressDefinition = {
    entity: entityClass.name,
    options: { rate, seconds, target },
    run: (storage, overrides = {}) => stressPartition(storage, entityClass, { ...options, ...overrides }),
  };
  return Object.freeze(Object.assign(definition, { [mark]: true }));
}
