import { isNativeError } from "node:util/types";
import type { EntityClass, Explanation, Query, TableStorage } from "@partita/core";
import type { ContinuationToken, StoredEntity } from "@partita/core/storage";
import type { Row, RowKey } from "../../api/cells.ts";
import type { Extent, PageMark, Plan, PlanResponse, RowPage, RowQuery } from "../../api/queries.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";
import { classCondition, predicateOf } from "./class-conditions.ts";
import { entityRow } from "./entity-cells.ts";
import { firstRows, pageBudgetMs, wasStopped } from "./first-rows.ts";
import { storedRow } from "./stored-cells.ts";
import { parseQuery } from "./parse-query.ts";
import { plannedTable, planStoredQuery } from "./stored-query.ts";

/** Approximate duration of a step of reading to the end, which lets the page show progress. */
const extentStepMs = 400;

/** One page of a query. */
export interface AskedPage extends RowQuery {
  readonly size: number;
  /** The value `next` of an earlier page. Undefined for the first. */
  readonly after: string | undefined;
}

/** Rows of tables: as stored, or as entities of a class. */
export class RowQueries {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The plan of a query. Nothing is sent. */
  plan(asked: RowQuery): Plan {
    const explanation =
      asked.className === undefined
        ? planStoredQuery(this.#catalog.core, this.#catalog.storage, asked.text)
        : this.classQuery(asked).query.explain();
    return planOf(explanation, asked);
  }

  /** The same for a query that is still being typed. */
  tryPlan(asked: RowQuery): PlanResponse {
    try {
      return { plan: this.plan(asked) };
    } catch (error) {
      return { problem: isNativeError(error) ? error.message : "This query cannot be planned." };
    }
  }

  /** One page of a query. @throws QueryError `query.scan` if a scan is not allowed */
  async page(asked: AskedPage, signal: AbortSignal): Promise<RowPage> {
    this.checkScan(asked);
    return asked.className === undefined ? this.#storedPage(asked, signal) : this.#classPage(asked, signal);
  }

  /** Reads further pages for a short time without holding rows. */
  async extent(asked: AskedPage, signal: AbortSignal): Promise<Extent> {
    this.checkScan(asked);
    const pages: PageMark[] = [];
    const end = performance.now() + extentStepMs;
    let at = asked.after;
    do {
      const { next, ...found } = await this.#countPage({ ...asked, after: at }, signal);
      pages.push({ after: at, ...found });
      at = next;
    } while (at !== undefined && performance.now() < end);
    return { pages, next: at };
  }

  /** The children of an entity, of all its relations. */
  async children(table: string, className: string, key: RowKey): Promise<readonly Row[]> {
    const { core, storage } = this.#catalog;
    const known = this.#catalog.classNamed(table, className);
    await using context = new core.TableContext(storage, { undeclared: "ignore" });
    const filter = core.odata`PartitionKey eq ${key.partitionKey} and RowKey eq ${key.rowKey}`;
    const parent = await context.query(known.entityClass).filter(filter).scan().first();
    if (parent === undefined) throw RequestError.notFound("row with this key");
    const ownKey = Object.fromEntries(
      known.model.keyProperties.map(({ name }) => [name, (parent as Record<string, unknown>)[name]]),
    );
    const rows: Row[] = [];
    for (const { property } of known.model.children) {
      const family = (context.query(known.entityClass) as Query<object>).where(ownKey as never);
      const found = await family
        .include((relations) => (relations as Record<string, never>)[property] as never)
        .toArray();
      const children = found.flatMap((each) => (each as Record<string, object[]>)[property] ?? []);
      rows.push(...children.map((child) => this.#rowOf(table, context.entry(child))));
    }
    return rows;
  }

  /**
   * @throws RequestError 422 for a scan that is not allowed. An empty query reads one page of rows, but a filter without keys may read the complete table to fill a
   * page.
   */
  checkScan(asked: RowQuery): void {
    if (asked.allowScan === true) return;
    const { missing, needsPermission } = this.plan(asked);
    if (needsPermission)
      throw new RequestError(
        422,
        "query.scan",
        `This query reads the whole table ${asked.table}, because it does not compare ${missing.join(", ") || "a key"}. Add a comparison, or allow the scan.`,
      );
  }

  classQuery(
    { table, className = "", text }: RowQuery,
    storage: TableStorage = this.#catalog.storage,
  ): {
    readonly query: Query<object>;
    readonly context: InstanceType<Catalog["core"]["TableContext"]>;
  } {
    const { core } = this.#catalog;
    const known = this.#catalog.classNamed(table, className);
    const context = new core.TableContext(storage, { undeclared: "ignore", unreadableRows: "raw" });
    const all = context.query(known.entityClass as EntityClass<object>);
    const node = parseQuery(core, text);
    if (node === undefined) return { query: all.scan(), context };
    const condition = classCondition(core, known, node);
    return { query: all.where((columns) => predicateOf(columns, condition)), context };
  }

  async #classPage(asked: AskedPage, signal: AbortSignal): Promise<RowPage> {
    const { core, storage } = this.#catalog;
    const first = this.#isScan(asked) ? firstRows(core, storage, asked.after) : undefined;
    const { query, context } = this.classQuery(asked, first?.storage);
    await using _end = context;
    const allowed = asked.allowScan === true ? query.scan() : query;
    const after = first === undefined ? asked.after : first.after;
    const { entities, next } = await allowed.page({ size: asked.size, after, signal });
    // A row that the class cannot read is shown as stored.
    const rowOf = (entity: object): Row =>
      core.UnreadableRow.is(entity)
        ? storedRow(core, entity.row)
        : this.#rowOf(asked.table, context.entry(entity));
    return { rows: entities.map(rowOf), next: next ?? first?.stoppedAt() };
  }

  async #countPage(
    asked: AskedPage,
    signal: AbortSignal,
  ): Promise<{ count: number; first?: RowKey | undefined; next: string | undefined }> {
    if (asked.className === undefined) {
      const { rows, next } = await this.#storedRows(asked, signal, ["PartitionKey", "RowKey"]);
      const [first] = rows;
      return {
        count: rows.length,
        first: first && this.#catalog.core.keyOfStored(first),
        next,
      };
    }
    const { core, storage } = this.#catalog;
    const first = wasStopped(asked.after) ? firstRows(core, storage, asked.after, Infinity) : undefined;
    const { query, context } = this.classQuery(asked, first?.storage);
    await using _end = context;
    const allowed = asked.allowScan === true ? query.scan() : query;
    const { entities, next } = await allowed
      .mergeOption("noTracking")
      .page({ size: asked.size, after: first === undefined ? asked.after : first.after, signal });
    return { count: entities.length, next };
  }

  #rowOf(table: string, entry: Parameters<typeof entityRow>[2]): Row {
    return entityRow(this.#catalog.core, this.#catalog.classOf(table, entry.entity), entry);
  }

  async #storedPage(asked: AskedPage, signal: AbortSignal): Promise<RowPage> {
    const { rows, next } = await this.#storedRows(asked, signal, undefined);
    return { rows: rows.map((row) => storedRow(this.#catalog.core, row)), next };
  }

  /** Whether a query reads a table in one request after another, so a page of it can end anywhere. */
  #isScan(asked: RowQuery): boolean {
    if (asked.text.trim() === "") return true;
    // Any other scan was refused.
    if (asked.allowScan !== true) return false;
    const { needsPermission, requests } = this.plan(asked);
    return needsPermission && requests.length === 1;
  }

  /** Reads until the page is full, the end, or the end of its time: a filter may match few rows of a large table. */
  async #storedRows(
    { table, text, size, after }: AskedPage,
    signal: AbortSignal,
    select: readonly string[] | undefined,
  ): Promise<{ readonly rows: readonly StoredEntity[]; readonly next: string | undefined }> {
    const filter = parseQuery(this.#catalog.core, text);
    const rows: StoredEntity[] = [];
    let at = after as ContinuationToken | undefined;
    const end = performance.now() + pageBudgetMs;
    do {
      signal.throwIfAborted();
      const query = {
        top: size - rows.length,
        ...(filter !== undefined && { filter }),
        ...(at !== undefined && { after: at }),
        ...(select !== undefined && { select }),
      };
      const page = await this.#catalog.reads.query(table, query, { signal });
      rows.push(...page.entities);
      at = page.next;
    } while (rows.length < size && at !== undefined && performance.now() < end);
    return { rows, next: at };
  }
}

/** A plan in the page's words. A query without conditions reads only the pages that the user views. */
function planOf(explanation: Explanation, { table, className, text }: RowQuery): Plan {
  const { rating, type, requests, missing, index } = explanation;
  const isOfFirst = text.trim() === "";
  return {
    rating: isOfFirst ? undefined : rating,
    type,
    text: isOfFirst
      ? `${className === undefined ? "" : `${className} in `}table ${table}, in the order of its keys`
      : String(explanation).replace(`table ${plannedTable}`, () => `table ${table}`),
    requests: requests.map(({ keys, filter, client }) => ({ keys, filter, client })),
    missing,
    index,
    needsPermission: rating === "worst" && !isOfFirst,
  };
}
