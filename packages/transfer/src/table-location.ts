import { accepted, type Check, checkArgument, isReadableTable, isTableName } from "@partita/core/internal";
import type { TableStorage } from "@partita/core";

/** A table of one storage. */
export interface TablePlace {
  readonly storage: TableStorage;
  readonly table: string;
}

/** The name of a table to write, as an option. */
export const aTableName: Check<string> = accepted(
  "a table name: 3 to 63 letters and digits, a letter first",
  (value) => typeof value === "string" && isTableName(value),
);

/** The same for a table that is only read, which may be one of the service's metrics. */
export const aReadableTable: Check<string> = accepted(
  "a table name: 3 to 63 letters and digits, a letter first",
  (value) => typeof value === "string" && isReadableTable(value),
);

/** @throws OptionError `transfer.option` */
export const checkTable = (call: string, table: unknown): void =>
  checkArgument(call, table, aTableName, "transfer.option");

/** @throws OptionError `transfer.option` */
export const checkReadTable = (call: string, table: unknown): void =>
  checkArgument(call, table, aReadableTable, "transfer.option");
