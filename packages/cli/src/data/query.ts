import type { ScanRefused, TableStorage } from "@partita/core";
import { loadCoreOf } from "../modules/load-core.ts";
import { openTarget } from "../storage/open-target.ts";
import { UsageError } from "../session/usage-error.ts";
import { loadClass } from "../modules/load-class.ts";
import { rowsOf } from "./read-rows.ts";
import { RowPrinter } from "./row-printer.ts";
import { CommandError, inSession, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import { withConditions } from "./where-json.ts";

/** Options as given. */
interface QueryOptions {
  readonly module?: string;
  readonly where?: string;
  readonly filter?: string;
  readonly select?: string;
  readonly top?: number;
  readonly allowScan?: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
}

/** `partita query`: prints rows of a table, or entities of a class. */
export function query([storage = "", name = ""]: readonly string[], options: QueryOptions): Promise<number> {
  const { module, filter } = options;
  checkTogether(options);
  return inSession(async (session) => {
    if (module !== undefined) return queryClass(storage, module, name, options, session);
    await using opened = await openTarget(storage);
    await printAll(session, options, rowsOfTable(opened, name, filter, options.select, session));
    return 0;
  });
}

/** @throws UsageError for options of the other kind of query */
function checkTogether({ module, filter, where, allowScan, explain }: QueryOptions): void {
  if (module !== undefined && filter !== undefined)
    throw new UsageError("--filter applies to stored names of a table. With --module, use --where.");
  const wrong = { "--where": where, "--allow-scan": allowScan, "--explain": explain };
  const [flag] = Object.entries(wrong).find(([, value]) => value !== undefined) ?? [];
  if (module === undefined && flag !== undefined)
    throw new UsageError(
      `${flag} applies to a class: add its compiled module with --module. For a table, use --filter.`,
    );
}

const rowsOfTable = (
  storage: TableStorage,
  table: string,
  filter: string | undefined,
  select: string | undefined,
  { signal }: Session,
): AsyncIterable<object> =>
  rowsOf(storage, table, { filter, columns: select === undefined ? undefined : listOf(select), signal });

/** Keys and Timestamp are always included. */
const listOf = (names: string): readonly string[] =>
  names.split(",").filter((name) => !["PartitionKey", "RowKey", "Timestamp"].includes(name));

async function queryClass(
  storage: string,
  module: string,
  name: string,
  options: QueryOptions,
  session: Session,
): Promise<number> {
  const core = await loadCoreOf(module);
  const entityClass = await loadClass(core, module, name);
  await using opened = await openTarget(storage, { open: core.openStorage });
  await using context = new core.TableContext(opened);
  let asked = withConditions(core, entityClass, context.query(entityClass), options.where);
  if (options.allowScan === true) asked = asked.scan();
  if (options.top !== undefined) asked = asked.take(options.top);
  session.say(`Plan: ${String(asked.explain())}`);
  if (options.explain === true) return 0;
  const selected = options.select?.split(",");
  const read = asked.mergeOption("noTracking").stream({ signal: session.signal });
  try {
    await printAll(session, options, plain(read, core.toPlain, selected));
  } catch (error) {
    throw core.ScanRefused.is(error) ? withFlag(error) : error;
  }
  return 0;
}

/** Replaces the advice to call `.scan()` by the option. */
const withFlag = ({ code, message }: ScanRefused): CommandError =>
  new CommandError(
    `${code}: ${message.replace("call .scan()", "add --allow-scan").replace("in where()", "in --where")}`,
  );

async function* plain(
  entities: AsyncIterable<object>,
  toPlain: (entity: object) => Readonly<Record<string, unknown>>,
  selected: readonly string[] | undefined,
): AsyncGenerator<object> {
  for await (const entity of entities) {
    const all = toPlain(entity);
    yield selected === undefined
      ? all
      : Object.fromEntries(selected.filter((name) => name in all).map((name) => [name, all[name]]));
  }
}

async function printAll(
  { out, say }: Session,
  { json = false, top }: QueryOptions,
  rows: AsyncIterable<object>,
): Promise<void> {
  const printer = new RowPrinter(out, json);
  let count = 0;
  for await (const row of rows) {
    await printer.print(row as Readonly<Record<string, unknown>>);
    if (++count === top) break;
  }
  await printer.end();
  if (out.isTerminal) say(counted(count, "row"));
}
