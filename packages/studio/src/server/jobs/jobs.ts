import { isNativeError } from "node:util/types";
import type { Job, JobProgress, JobRequest, UpgradeElsewhere } from "../../api/jobs.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";
import { type JobResult, type JobTask, runJob } from "./run-job.ts";

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
  start(request: JobRequest, file?: JobTask["file"]): Job {
    const { type, table, isDryRun = false } = request;
    const isWriting = type === "import" || type === "copy" || (type === "upgrade" && !isDryRun);
    if (isWriting && this.#catalog.isReadOnly) throw RequestError.readOnly();
    const needsClasses = type === "census" || type === "upgrade";
    if (needsClasses && this.#catalog.classesOf(table).length === 0)
      throw RequestError.wrongInput(
        `The table ${table} has no classes here. Start partita studio with the module that declares them.`,
      );
    const id = `${type}:${table}`;
    const known = this.#jobs.get(id);
    if (known?.state === "running" && file !== undefined)
      throw RequestError.wrongInput(
        `Another import into the table ${table} is running. Stop it, or wait for its end.`,
      );
    if (known?.state === "running") return viewOf(id, known);
    const job: RunningJob = { request, stop: new AbortController(), state: "running", progress: begin };
    this.#jobs.set(id, job);
    job.ended = this.#run(job, file);
    return viewOf(id, job);
  }

  /**
   * Imports a file, and waits for the end.
   *
   * @param gone - aborted when the page that sends the file is closed
   */
  async import(table: string, file: NonNullable<JobTask["file"]>, gone: AbortSignal): Promise<Job> {
    const { id } = this.start({ type: "import", table }, file);
    const job = this.#jobs.get(id) as RunningJob;
    const stop = (): void => job.stop.abort();
    gone.addEventListener("abort", stop);
    await job.ended;
    gone.removeEventListener("abort", stop);
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

  async #run(job: RunningJob, file: JobTask["file"]): Promise<void> {
    const { type, table, isDryRun = false, copy } = job.request;
    try {
      job.result = await runJob({
        catalog: this.#catalog,
        type,
        table,
        isDryRun,
        copy,
        file,
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
    transfer: result?.transfer,
  };
}
