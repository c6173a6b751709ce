import { brand, messageOf } from "@partita/core/internal";
import { OptionError, TableError } from "@partita/core";

/** A stress test cannot measure its load (`stress.load`, `stress.partition`, `stress.no-entities`). */
export class StressError extends TableError {
  static {
    brand(this, "StressError");
  }

  /** Measuring a load that already fails before the first step would be pointless. */
  static load(index: number, cause: unknown): StressError {
    const why = messageOf(cause);
    return new StressError(
      "stress.load",
      `load[${index}] failed before the first step, when it ran alone: ${why}`,
      { load: index },
      { cause },
    );
  }

  /** Work in other partitions proves nothing about this one. */
  static partition(index: number, partition: string, other: string): StressError {
    return new StressError(
      "stress.partition",
      `load[${index}] reads or writes the partition ${JSON.stringify(other)}, but the test is for ${JSON.stringify(partition)} only. Use the same values for both.`,
      { load: index, partition, other },
    );
  }

  /** Without entities there is no rate. */
  static noEntities(partition: string): StressError {
    return new StressError(
      "stress.no-entities",
      `The load returned and wrote no entity of the partition ${JSON.stringify(partition)}, so there is nothing to count. Store rows for its queries in setup.`,
      { partition },
    );
  }
}

/** The error of an option that is invalid in combination with another one. */
export const refused = (call: string, option: string, takes: string): OptionError =>
  OptionError.wrongValue("stress.option", call.replace("options", `{ ${option} }`), {
    option,
    takes,
    given: undefined,
  });
