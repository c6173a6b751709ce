import type { RowKey } from "../api/cells.ts";
import type { CopyRequest, Job } from "../api/jobs.ts";
import type { RowEdit } from "../api/grid-edits.ts";
import type { RowQuery } from "../api/queries.ts";
import type { Existing, ExportRequest, FileForm } from "../api/transfers.ts";
import { exportRows } from "./files/export-rows.ts";
import { previewImport } from "./files/preview-import.ts";
import { TextStream } from "./files/text-stream.ts";
import type { Routes } from "./http/run-route.ts";
import { Input } from "./input.ts";
import type { Jobs } from "./jobs/jobs.ts";
import { copyRows } from "./rows/copy-rows.ts";
import type { AskedPage, RowQueries } from "./rows/query-rows.ts";
import type { StagedChanges } from "./staged/staged-changes.ts";
import type { Catalog } from "./tables/catalog.ts";
import { createTable, dropTable } from "./tables/change-tables.ts";

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
 * Requests that change stored data, or prepare a change. A read-only studio refuses them. A job is
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
  "POST files/import",
  "POST tables/create",
  "POST tables/drop",
]);

/** All routes of the page. */
export const routesOf = (parts: Parts): Routes => ({
  "GET info": () => parts.catalog.info(),
  ...rowRoutes(parts),
  ...stagedRoutes(parts),
  ...jobRoutes(parts),
  ...transferRoutes(parts),
  ...tableRoutes(parts),
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
    const format = input.oneOf("format", fileForms);
    const keys = input.list("rows", maxCopiedRows).map((row) => row.key());
    return copyRows(catalog, input.text("table"), keys, format);
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
    const type = input.oneOf("type", jobTypes);
    const copy = type === "copy" ? copyOf(input) : undefined;
    return jobs.start({ type, table: input.text("table"), isDryRun: input.isTrue("isDryRun"), copy });
  },
  "POST jobs/elsewhere": (body) => jobs.upgradeElsewhere(new Input(body).text("table")),
  "POST jobs/stop": (body) => jobs.stop(new Input(body).text("id")),
});

const jobTypes = ["census", "survey", "upgrade", "copy"] as const satisfies readonly Job["type"][];
const fileForms = ["jsonl", "csv"] as const satisfies readonly FileForm[];
const existingRows = ["refuse", "replace", "merge", "skip"] as const satisfies readonly Existing[];

const copyOf = (input: Input): CopyRequest => ({
  target: input.optionalText("target") ?? "",
  as: input.text("as"),
  existing: input.oneOf("existing", existingRows),
});

const transferRoutes = ({ catalog, rows, jobs }: Parts): Routes => ({
  "POST files/export"(body, signal) {
    const input = new Input(body);
    const asked: ExportRequest = {
      ...queryOf(input),
      format: input.oneOf("format", fileForms),
      scope: input.oneOf("scope", ["table", "query", "selection"]),
      keys: input.has("keys") ? input.list("keys", maxChanges).map((key) => key.key()) : undefined,
    };
    return new TextStream(exportRows(catalog, rows, asked, signal));
  },
  "POST files/preview"(body) {
    const input = new Input(body);
    return previewImport(catalog.core, input.text("start"), input.isTrue("isComplete"));
  },
  "POST files/import"(body, signal) {
    const input = new Input(body);
    const existing = input.oneOf("existing", existingRows);
    const types = input.has("types") ? input.oneOf("types", ["infer", "text"]) : undefined;
    const skipsBadLines = input.optionalText("bad") === "skip";
    return jobs.import(
      input.text("table"),
      { source: input.file("source"), existing, types, skipsBadLines },
      signal,
    );
  },
});

const tableRoutes = ({ catalog, staged }: Parts): Routes => ({
  async "POST tables/create"(body) {
    await createTable(catalog, new Input(body).text("table"));
    return catalog.info();
  },
  async "POST tables/drop"(body) {
    const input = new Input(body);
    await dropTable(catalog, staged, input.text("table"), input.text("confirmed"));
    return catalog.info();
  },
});

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
