import { isNativeError } from "node:util/types";
import type { Job, JobProgress, JobRequest, UpgradeElsewhere } from "../../api/jobs.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";
import { type JobResult, runJob } from "./run-job.ts";

interface RunningJob {
  readonly request: JobRequest;
  readonly stop: AbortController;
  state: Job["state"];
  progress: JobProgress;
  error?: string;
  result?: JobResult;
  ended?: Promise<void>;
}

const begin: JobProgress = { phase: "begin", read: 0, total: undefined, upgraded: 0 };

/**
 * Jobs on complete tables. Each table has at most one job of each type, and its result stays until the job is
 * started again.
 */
export class Jobs {
  readonly #catalog: Catalog;
  readonly #jobs = new Map<string, RunningJob>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  list(): readonly Job[] {
    return [...this.#jobs].map(([id, job]) => viewOf(id, job));
  }

  /**
   * @throws RequestError for an upgrade in a read-only studio, or for a table without the classes that a job
   * needs
   */
  start(request: JobRequest): Job {
    const { type, table, isDryRun = false } = request;
    if (type === "upgrade" && !isDryRun && this.#catalog.isReadOnly) throw RequestError.readOnly();
    if (type !== "survey" && this.#catalog.classesOf(table).length === 0)
      throw RequestError.wrongInput(
        `The table ${table} has no classes here. Start partita studio with the module that declares them.`,
      );
    const id = `${type}:${table}`;
    const known = this.#jobs.get(id);
    if (known?.state === "running") return viewOf(id, known);
    const job: RunningJob = { request, stop: new AbortController(), state: "running", progress: begin };
    this.#jobs.set(id, job);
    job.ended = this.#run(job);
    return viewOf(id, job);
  }

  /** An upgrade of a table that any process runs, or that was stopped. null if there is none. */
  async upgradeElsewhere(table: string): Promise<UpgradeElsewhere | null> {
    const classes = this.#catalog.classesOf(table).map(({ entityClass }) => entityClass);
    if (classes.length === 0) return null;
    return (await this.#catalog.core.findUpgrade(this.#catalog.storage, classes)) ?? null;
  }

  stop(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw RequestError.notFound("such job");
    job.stop.abort();
    return viewOf(id, job);
  }

  /** Stops all jobs, and waits for them. */
  async close(): Promise<void> {
    for (const { stop } of this.#jobs.values()) stop.abort();
    for (const { ended } of this.#jobs.values()) await ended;
  }

  async #run(job: RunningJob): Promise<void> {
    const { type, table, isDryRun = false } = job.request;
    try {
      job.result = await runJob({
        catalog: this.#catalog,
        type,
        table,
        isDryRun,
        signal: job.stop.signal,
        onProgress: (progress) => (job.progress = progress),
      });
      job.state = "done";
    } catch (error) {
      job.state = job.stop.signal.aborted ? "stopped" : "failed";
      job.error = isNativeError(error) ? error.message : `A ${typeof error} was thrown.`;
    }
  }
}

function viewOf(id: string, { request, state, progress, error, result }: RunningJob): Job {
  const { type, table } = request;
  return {
    id,
    type,
    table,
    state,
    progress,
    error: state === "failed" ? error : undefined,
    census: result?.census,
    survey: result?.survey,
    upgrade: result?.upgrade,
  };
}
