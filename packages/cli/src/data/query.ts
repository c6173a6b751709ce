import type { ScanRefused, TableStorage } from "@partita/core";
import { loadCoreOf } from "../modules/load-core.ts";
import { openTarget } from "../storage/open-target.ts";
import { printable } from "../terminal/printable.ts";
import { UsageError } from "../session/usage-error.ts";
import { loadClass } from "../modules/load-class.ts";
import { checkScan, planRows } from "./plan-rows.ts";
import { warnOfKeyNames, withoutKeys } from "./key-names.ts";
import { rowsOf } from "./read-rows.ts";
import { RowPrinter } from "./row-printer.ts";
import { inSession, sayPlan, type Session } from "../session/session.ts";
import { counted } from "../terminal/amounts.ts";
import { withConditions } from "./where-json.ts";

/** Options as given. */
interface QueryOptions {
  readonly module?: string;
  readonly where?: string;
  readonly filter?: string;
  readonly select?: readonly string[];
  readonly top?: number;
  readonly all?: boolean;
  readonly scan?: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
}

/** Rows that a terminal shows without `--all` or `--top`. */
const shownInTerminal = 100;

/** `partita query`: prints rows of a table, or entities of a class. */
export function query([storage = "", name = ""]: readonly string[], options: QueryOptions): Promise<number> {
  const { module, filter } = options;
  checkTogether(options);
  return inSession(async (session) => {
    if (module !== undefined) return queryClass(storage, module, name, options, session);
    warnOfKeyNames(filter, session);
    const plan = planRows(name, filter);
    if (options.explain === true) {
      sayPlan(session, plan.text);
      return 0;
    }
    // Without a filter, a limited query reads no further than its last row.
    if (filter !== undefined || limitOf(options, session) === undefined) checkScan(plan, options);
    await using opened = await openTarget(storage);
    await printAll(session, options, rowsOfTable(opened, name, filter, options.select, session));
    return 0;
  });
}

/** The number of rows to print. Undefined for all of them. */
const limitOf = ({ top, all = false }: QueryOptions, { out }: Session): number | undefined =>
  top ?? (out.isTerminal && !all ? shownInTerminal : undefined);

/** @throws UsageError for options of the other kind of query, or that contradict each other */
function checkTogether({ module, filter, where, top, all }: QueryOptions): void {
  if (module !== undefined && filter !== undefined)
    throw new UsageError("--filter applies to stored names of a table. With --module, use --where.");
  if (module === undefined && where !== undefined)
    throw new UsageError(
      "--where applies to a class: add its compiled module with --module. For a table, use --filter.",
    );
  if (top !== undefined && all !== undefined)
    throw new UsageError("--all and --top contradict each other. Remove one of them.");
}

const rowsOfTable = (
  storage: TableStorage,
  table: string,
  filter: string | undefined,
  select: readonly string[] | undefined,
  { signal }: Session,
): AsyncIterable<object> =>
  rowsOf(storage, table, { filter, columns: select && withoutKeys(select), signal });

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
  if (options.scan === true) asked = asked.scan();
  if (options.top !== undefined) asked = asked.take(options.top);
  sayPlan(session, String(asked.explain()));
  if (options.explain === true) return 0;
  const selected = options.select;
  const read = asked.mergeOption("noTracking").stream({ signal: session.signal });
  try {
    await printAll(session, options, plain(read, core.toPlain, selected));
  } catch (error) {
    throw core.ScanRefused.is(error) ? withFlag(error) : error;
  }
  return 0;
}

/** Replaces the advice to call `.scan()` by the option. */
const withFlag = ({ code, message }: ScanRefused): UsageError =>
  new UsageError(
    `${code}: ${message.replace("call .scan()", "add --scan").replace("in where()", "in --where")}`,
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

async function printAll(session: Session, options: QueryOptions, rows: AsyncIterable<object>): Promise<void> {
  const printer = new RowPrinter(session.out, options.json === true);
  const limit = limitOf(options, session);
  let count = 0;
  const absent = new Set(options.select);
  for await (const row of rows) {
    // There is another row.
    if (count === limit) {
      await printer.end();
      session.say(`These are the first ${limit} rows. Print more with --top <n>, or all with --all.`);
      return;
    }
    for (const name of Object.keys(row)) absent.delete(name);
    await printer.print(row as Readonly<Record<string, unknown>>);
    if (++count === options.top) break;
  }
  await printer.end();
  if (count > 0 && absent.size > 0)
    session.say(`No printed row has ${printable([...absent].join(", "))}. Names are case-sensitive.`);
  if (session.out.isTerminal) session.say(`${counted(count, "row")}.`);
}
