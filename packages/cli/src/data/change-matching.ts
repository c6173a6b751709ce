import type { TableStorage } from "@partita/core";
import { isInternalTable, readStates } from "@partita/core/internal";
import type { StoredEntity } from "@partita/core/storage";
import { inSession, type Session } from "../session/session.ts";
import { UsageError } from "../session/usage-error.ts";
import { openTarget } from "../storage/open-target.ts";
import { leftLines, restLine } from "../tables/print.ts";
import { counted } from "../terminal/amounts.ts";
import { confirm } from "../terminal/confirm.ts";
import { printable, printableKey } from "../terminal/printable.ts";
import { type RowChange, RowChanges } from "./change-rows.ts";
import { type FilterOptions, matchingRows } from "./matching-rows.ts";

/** A change of all rows that match a filter. */
export interface Change {
  readonly storage: string;
  readonly table: string;
  readonly options: FilterOptions;
  /** Properties to read of each row. */
  readonly columns: readonly string[];
  /** `deleted`. */
  readonly done: string;
  /** Checks all rows before the first is changed. @returns the rows that need a change */
  readonly check: (rows: readonly StoredEntity[], session: Session) => readonly StoredEntity[];
  readonly changeOf: (row: StoredEntity) => RowChange;
}

/** Shows the plan and the rows of a change, asks, and changes them. Returns the exit code: 1 if rows were left. */
export function changeMatching({
  storage,
  table,
  options,
  columns,
  done,
  check,
  changeOf,
}: Change): Promise<number> {
  if (options.filter === undefined) throw new UsageError("The rows to change need a --filter.");
  if (isInternalTable(table))
    throw new UsageError(`${table} belongs to Partita, which needs its rows. A filter cannot change them.`);
  let changes: RowChanges | undefined;
  const soFar = (): string =>
    `${counted(changes?.done ?? 0, "row")} ${changes?.done === 1 ? "was" : "were"} ${done}.`;
  return inSession(
    async (session) => {
      await using opened = await openTarget(storage);
      const wanted = check(await matchingRows(opened, table, columns, options, session), session);
      const total = `${printable(table)}: ${counted(wanted.length, "row")}`;
      if (options.dryRun === true || wanted.length === 0) {
        await session.out.line(`${total} ${options.dryRun === true ? "would be " : ""}${done}.`);
        return 0;
      }
      if (await hasIndexes(opened, table, session)) session.say(staleIndexes(table));
      const consequence = `${counted(wanted.length, "row")} of ${table} will be ${done}.`;
      if (!(await confirm({ consequence, answer: "yes", yes: options.yes === true }, session))) return 1;
      changes = new RowChanges(opened, table, session);
      try {
        await changes.run(mapped(wanted, changeOf), wanted.length);
      } catch (error) {
        if (!session.signal.aborted) session.say(soFar());
        throw error;
      }
      await session.out.line(`${printable(table)}: ${counted(changes.done, "row")} ${done}.`);
      return printLeft(changes, session);
    },
    () =>
      changes === undefined ? "Nothing was changed." : `${soFar()} Run the command again for the others.`,
  );
}

function* mapped<Item, Result>(items: readonly Item[], map: (item: Item) => Result): Generator<Result> {
  for (const item of items) yield map(item);
}

/** Whether storage records indexes of a table. Credentials may not allow to read this. */
const hasIndexes = async (storage: TableStorage, table: string, { signal }: Session): Promise<boolean> =>
  ((await readStates(storage, table, { signal }))?.size ?? 0) > 0;

const staleIndexes = (table: string): string =>
  `${printable(table)} has indexes, which this command does not update. Run partita index verify <module.js> <storage> --repair afterwards.`;

const most = 20;

/** Prints the rows that were left. Returns the exit code. */
function printLeft({ overtaken, refused }: RowChanges, { say }: Session): number {
  const lines = [
    ...overtaken.map((key) => `  changed meanwhile: ${printableKey(key)}`),
    ...leftLines(refused, refused.length, "refused"),
  ];
  if (lines.length === 0) return 0;
  say(`${counted(lines.length, "row")} ${lines.length === 1 ? "was" : "were"} left as stored:`);
  for (const line of [...lines.slice(0, most), ...restLine(most, lines.length)]) say(line);
  return 1;
}
