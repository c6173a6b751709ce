import type { RowKey } from "../api/cells.ts";
import type { Job } from "../api/jobs.ts";
import type { RowEdit, RowTextFormat } from "../api/grid-edits.ts";
import type { RowQuery } from "../api/queries.ts";
import type { Routes } from "./http/run-route.ts";
import { Input } from "./input.ts";
import type { Jobs } from "./jobs/jobs.ts";
import { RequestError } from "./request-error.ts";
import { copyRows } from "./rows/copy-rows.ts";
import type { AskedPage, RowQueries } from "./rows/query-rows.ts";
import type { StagedChanges } from "./staged/staged-changes.ts";
import type { Catalog } from "./tables/catalog.ts";

/** The parts of the API. */
export interface Parts {
  readonly catalog: Catalog;
  readonly rows: RowQueries;
  readonly staged: StagedChanges;
  readonly jobs: Jobs;
}

/** Maximum rows of one page: the service's own limit. */
const maxPageSize = 1000;
/** Maximum rows that one request stages. */
const maxRows = 1000;
/** Maximum rows that one request copies. */
const maxCopiedRows = 10_000;
/** Maximum staged changes that one request saves or discards. */
const maxChanges = 100_000;

/**
 * Requests that change stored data, or prepare a change. A read-only studio refuses them. An upgrade is
 * checked when it starts.
 */
export const changingRoutes: ReadonlySet<string> = new Set([
  "POST staged/insert",
  "POST staged/edit",
  "POST staged/edit-many",
  "POST staged/cells",
  "POST staged/paste",
  "POST staged/remove",
  "POST staged/remove-many",
  "POST staged/save",
  "POST staged/resolve",
]);

/** All routes of the page. */
export const routesOf = (parts: Parts): Routes => ({
  "GET info": () => parts.catalog.info(),
  ...rowRoutes(parts),
  ...stagedRoutes(parts),
  ...jobRoutes(parts),
});

const rowRoutes = ({ rows, catalog }: Parts): Routes => ({
  "POST rows/plan": (body) => rows.tryPlan(queryOf(new Input(body))),
  "POST rows/page": (body, signal) => rows.page(pageOf(new Input(body)), signal),
  "POST rows/extent": (body, signal) => rows.extent(pageOf(new Input(body)), signal),
  "POST rows/children"(body) {
    const input = new Input(body);
    return rows.children(input.text("table"), input.text("className"), input.key());
  },
  "POST rows/copy"(body) {
    const input = new Input(body);
    const format = input.text("format");
    if (format !== "jsonl" && format !== "csv") throw RequestError.wrongInput("format must be jsonl or csv.");
    const keys = input.list("rows", maxCopiedRows).map((row) => row.key());
    return copyRows(catalog, input.text("table"), keys, format satisfies RowTextFormat);
  },
});

const stagedRoutes = ({ staged }: Parts): Routes => ({
  "GET staged": () => staged.list(),
  "POST staged/open"(body) {
    const input = new Input(body);
    return staged.open(input.text("table"), input.optionalText("className"), input.key());
  },
  "POST staged/insert"(body) {
    const input = new Input(body);
    return staged.insert({
      table: input.text("table"),
      className: input.optionalText("className"),
      key: input.has("partitionKey") ? input.key() : undefined,
      cells: input.changes("cells"),
    });
  },
  "POST staged/edit"(body) {
    const input = new Input(body);
    return staged.edit(input.text("id"), input.text("etag"), input.changes("changes"));
  },
  "POST staged/edit-many"(body) {
    const input = new Input(body);
    const [table, className] = [input.text("table"), input.optionalText("className")];
    return staged.editMany(table, className, seenRows(input), input.changes("changes"));
  },
  "POST staged/cells"(body) {
    const input = new Input(body);
    return staged.editCells(input.text("table"), input.list("rows", maxRows).map(rowEdit));
  },
  "POST staged/paste"(body) {
    const input = new Input(body);
    return staged.paste(input.text("table"), input.optionalText("className"), input.text("text"));
  },
  "POST staged/remove"(body) {
    const input = new Input(body);
    return staged.remove(input.text("id"), input.text("etag"));
  },
  "POST staged/remove-many"(body) {
    const input = new Input(body);
    return staged.removeMany(input.text("table"), input.optionalText("className"), seenRows(input));
  },
  "POST staged/discard": (body) => staged.discard(new Input(body).texts("ids", maxChanges)),
  "POST staged/save"(body) {
    const input = new Input(body);
    return staged.save(input.has("ids") ? new Set(input.texts("ids", maxChanges)) : undefined);
  },
  "POST staged/resolve"(body) {
    const input = new Input(body);
    return staged.resolve(input.text("id"), input.optionalText("theirEtag"), input.sides("choice"));
  },
});

const rowEdit = (row: Input): RowEdit => ({
  ...row.key(),
  className: row.optionalText("className"),
  etag: row.text("etag"),
  changes: row.changes("changes"),
});

/** Rows with the ETags that the page read them with. */
const seenRows = (input: Input): readonly (RowKey & { readonly etag: string })[] =>
  input.list("rows", maxRows).map((row) => ({ ...row.key(), etag: row.text("etag") }));

const jobRoutes = ({ jobs }: Parts): Routes => ({
  "GET jobs": () => jobs.list(),
  "POST jobs/start"(body) {
    const input = new Input(body);
    const type = input.text("type");
    if (!jobTypes.has(type)) throw RequestError.wrongInput("type must be census, survey or upgrade.");
    return jobs.start({
      type: type as Job["type"],
      table: input.text("table"),
      isDryRun: input.isTrue("isDryRun"),
    });
  },
  "POST jobs/elsewhere": (body) => jobs.upgradeElsewhere(new Input(body).text("table")),
  "POST jobs/stop": (body) => jobs.stop(new Input(body).text("id")),
});

const jobTypes: ReadonlySet<string> = new Set<Job["type"]>(["census", "survey", "upgrade"]);

const pageOf = (input: Input): AskedPage => ({
  ...queryOf(input),
  size: input.wholeNumber("size", 1, maxPageSize),
  after: input.optionalText("after"),
});

const queryOf = (input: Input): RowQuery => ({
  table: input.text("table"),
  className: input.optionalText("className"),
  text: input.optionalText("text") ?? "",
  allowScan: input.isTrue("allowScan"),
});
