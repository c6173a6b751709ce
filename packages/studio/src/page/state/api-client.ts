import type { Row, RowKey } from "../../api/cells.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Job, JobRequest, UpgradeElsewhere } from "../../api/jobs.ts";
import type { CellEditResult, CopiedRows, PastedRows, RowEdit } from "../../api/grid-edits.ts";
import type { Extent, PlanResponse, RowPage, RowQuery } from "../../api/queries.ts";
import type {
  MultiEditResult,
  OpenRow,
  Resolution,
  SeenRows,
  SaveSummary,
  StagedChange,
  StagedEdit,
  StagedInsert,
  StagedMultiEdit,
} from "../../api/staged.ts";
import type { StorageInfo } from "../../api/tables.ts";
import type { FileForm, ImportPreview } from "../../api/transfers.ts";

/** A request that the studio refused. */
export class ApiError extends Error {
  /** The property with the wrong value, if it is known. */
  readonly property: string | undefined;

  constructor(message: string, property: string | undefined) {
    super(message);
    this.property = property;
  }

  get isApiError(): true {
    return true;
  }

  static is(value: unknown): value is ApiError {
    return (value as Partial<ApiError> | null | undefined)?.isApiError === true;
  }
}

/** The client of the studio's API. The token is sent in a header of each request, never in its URL. */
export class ApiClient {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  readonly info = (): Promise<StorageInfo> => this.#send("GET", "info");
  readonly plan = (query: RowQuery, signal: AbortSignal): Promise<PlanResponse> =>
    this.#send("POST", "rows/plan", query, signal);
  readonly page = (
    query: RowQuery,
    size: number,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<RowPage> => this.#send("POST", "rows/page", { ...query, size, after }, signal);
  readonly extent = (
    query: RowQuery,
    size: number,
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<Extent> => this.#send("POST", "rows/extent", { ...query, size, after }, signal);
  readonly children = (table: string, className: string, key: RowKey): Promise<readonly Row[]> =>
    this.#send("POST", "rows/children", { table, className, ...key });
  readonly staged = (): Promise<readonly StagedChange[]> => this.#send("GET", "staged");
  readonly open = (table: string, className: string | undefined, key: RowKey): Promise<OpenRow> =>
    this.#send("POST", "staged/open", { table, className, ...key });
  readonly insert = ({ key, ...row }: StagedInsert): Promise<readonly StagedChange[]> =>
    this.#send("POST", "staged/insert", { ...row, ...key });
  readonly edit = (edit: StagedEdit): Promise<readonly StagedChange[]> =>
    this.#send("POST", "staged/edit", edit);
  readonly editMany = (edit: StagedMultiEdit): Promise<MultiEditResult> =>
    this.#send("POST", "staged/edit-many", edit);
  readonly copy = (table: string, rows: readonly RowKey[], format: FileForm): Promise<CopiedRows> =>
    this.#send("POST", "rows/copy", { table, rows, format });
  readonly editCells = (table: string, rows: readonly RowEdit[]): Promise<CellEditResult> =>
    this.#send("POST", "staged/cells", { table, rows });
  readonly paste = (table: string, className: string | undefined, text: string): Promise<PastedRows> =>
    this.#send("POST", "staged/paste", { table, className, text });
  readonly remove = (id: string, etag: string): Promise<readonly StagedChange[]> =>
    this.#send("POST", "staged/remove", { id, etag });
  readonly removeMany = (rows: SeenRows): Promise<MultiEditResult> =>
    this.#send("POST", "staged/remove-many", rows);
  readonly discard = (ids: readonly string[]): Promise<readonly StagedChange[]> =>
    this.#send("POST", "staged/discard", { ids });
  readonly save = (ids: readonly string[]): Promise<SaveSummary> =>
    this.#send("POST", "staged/save", { ids });
  readonly resolve = (resolution: Resolution): Promise<readonly StagedChange[]> =>
    this.#send("POST", "staged/resolve", resolution);
  readonly jobs = (): Promise<readonly Job[]> => this.#send("GET", "jobs");
  readonly startJob = ({ copy, ...request }: JobRequest): Promise<Job> =>
    this.#send("POST", "jobs/start", { ...request, ...copy });
  readonly preview = (start: string, isComplete: boolean): Promise<ImportPreview> =>
    this.#send("POST", "files/preview", { start, isComplete });
  readonly createTable = (table: string): Promise<StorageInfo> =>
    this.#send("POST", "tables/create", { table });
  readonly dropTable = (table: string, confirmed: string): Promise<StorageInfo> =>
    this.#send("POST", "tables/drop", { table, confirmed });
  readonly upgradeElsewhere = (table: string): Promise<UpgradeElsewhere | null> =>
    this.#send("POST", "jobs/elsewhere", { table });
  readonly stopJob = (id: string): Promise<Job> => this.#send("POST", "jobs/stop", { id });

  /** Sends JSON, and returns the response before its body was read. @throws ApiError if it is refused */
  sendJson(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    return this.#fetch(path, { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) });
  }

  /** Sends a file, and returns the JSON of the response. */
  async sendFile<Result>(path: string, body: Blob, signal: AbortSignal): Promise<Result> {
    const response = await this.#fetch(path, { method: "POST", body, signal }, "application/octet-stream");
    return (await response.json()) as Result;
  }

  async #send<Result>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Result> {
    const response = await this.#fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return (await response.json()) as Result;
  }

  async #fetch(path: string, init: RequestInit, type = "application/json"): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": type };
    const response = await fetch(`/api/${path}`, { ...init, headers });
    if (response.ok) return response;
    const { message = "The request failed.", property } = (await response.json()) as Partial<ApiProblem>;
    throw new ApiError(message, property);
  }
}
