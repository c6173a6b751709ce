import { brand, messageOf } from "@partita/core/internal";
import { OptionError, TableError } from "@partita/core";

/** A stress test cannot measure what it was given (`stress.load`, `stress.partition`, `stress.no-entities`). */
export class StressError extends TableError {
  static {
    brand(this, "StressError");
  }

  /** Work that fails before the first step would only measure how it fails. */
  static load(index: number, cause: unknown): StressError {
    const why = messageOf(cause);
    return new StressError(
      "stress.load",
      `load[${index}] failed before the first step, alone and without haste: ${why}`,
      { load: index },
      { cause },
    );
  }

  /** Work elsewhere says nothing of this partition. */
  static partition(index: number, partition: string, other: string): StressError {
    return new StressError(
      "stress.partition",
      `load[${index}] reads or writes the partition ${JSON.stringify(other)}, and the test is about ${JSON.stringify(partition)} alone. Give both the same values.`,
      { load: index, partition, other },
    );
  }

  /** Without entities there is no rate. */
  static noEntities(partition: string): StressError {
    return new StressError(
      "stress.no-entities",
      `The load returned and wrote no entity of the partition ${JSON.stringify(partition)}, so that there is nothing to count. Store in setup what its queries are to find.`,
      { partition },
    );
  }
}

/** The error of an option that is wrong only beside another one. */
export const refused = (call: string, option: string, takes: string): OptionError =>
  OptionError.wrongValue("stress.option", call.replace("options", `{ ${option} }`), {
    option,
    takes,
    given: undefined,
  });
