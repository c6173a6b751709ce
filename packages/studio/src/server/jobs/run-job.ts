import type { EntityClass } from "@partita/core";
import type { UpgradeReport, VersionCount } from "@partita/maintenance";
import { surveyPartitions } from "@partita/maintenance/internal";
import type {
  CensusCount,
  CopyRequest,
  Job,
  JobProgress,
  UpgradeSummary,
  VersionTotal,
} from "../../api/jobs.ts";
import { copyRowsTo } from "../files/copy-rows-to.ts";
import { importRows, type ImportTask } from "../files/import-rows.ts";
import { RequestError } from "../request-error.ts";
import type { Catalog } from "../tables/catalog.ts";

/** The services of a job. */
export interface JobTask {
  readonly catalog: Catalog;
  readonly type: Job["type"];
  readonly table: string;
  readonly isDryRun: boolean;
  readonly copy: CopyRequest | undefined;
  /** The file of an import. */
  readonly file: Pick<ImportTask, "source" | "existing" | "types" | "skipsBadLines"> | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
}

/** The result of a job: one member for each type. */
export type JobResult = Pick<Job, "census" | "survey" | "upgrade" | "transfer">;

/** Runs a job to its end. @throws Error with a message for users */
export async function runJob(task: JobTask): Promise<JobResult> {
  const none = { census: undefined, survey: undefined, upgrade: undefined, transfer: undefined };
  switch (task.type) {
    case "census":
      return { ...none, census: await countKinds(task) };
    case "survey":
      return { ...none, survey: await survey(task) };
    case "upgrade":
      return { ...none, upgrade: await upgradeRows(task) };
    case "import":
      if (task.file === undefined) throw RequestError.wrongInput("An import needs a file.");
      return { ...none, transfer: await importRows({ ...task, ...task.file }) };
    case "copy":
      if (task.copy === undefined) throw RequestError.wrongInput("A copy needs a target.");
      return { ...none, transfer: await copyRowsTo({ ...task, ...task.copy }) };
    default:
      return task.type satisfies never;
  }
}

async function countKinds({ catalog, table, signal, onProgress }: JobTask): Promise<readonly CensusCount[]> {
  const entries = await catalog.core.census(catalog.storage, classesOf(catalog, table), {
    signal,
    onProgress: (read) => onProgress({ phase: "count", read, total: undefined, upgraded: 0 }),
  });
  return entries.map(({ shapes, ...entry }) => ({
    ...totalOf(entry),
    shapes: shapes.map(({ count, properties }) => ({
      count,
      properties: Object.entries(properties).map(([name, type]) => `${name}: ${type.replace("Edm.", "")}`),
    })),
  }));
}

const survey = ({ catalog, table, signal, onProgress }: JobTask): ReturnType<typeof surveyPartitions> =>
  surveyPartitions(catalog.storage, table, {
    signal,
    onProgress: (read) => onProgress({ phase: "survey", read, total: undefined, upgraded: 0 }),
  });

async function upgradeRows(task: JobTask): Promise<UpgradeSummary> {
  const { catalog, table, isDryRun, signal, onProgress } = task;
  const report = await catalog.core.upgradeTable(catalog.storage, classesOf(catalog, table), {
    dryRun: isDryRun,
    signal,
    onProgress: ({ phase, pass, read, total, upgraded }) =>
      onProgress({ phase, pass, read, total, upgraded }),
  });
  return summaryOf(report);
}

const classesOf = (catalog: Catalog, table: string): readonly EntityClass[] =>
  catalog.classesOf(table).map(({ entityClass }) => entityClass);

const summaryOf = (report: UpgradeReport): UpgradeSummary => ({
  isDryRun: report.isDryRun,
  upgraded: report.upgraded,
  isClean: report.isClean,
  before: report.before.map(totalOf),
  after: report.after.map(totalOf),
  left: report.left.map(({ key, reason }) => ({ ...key, reason: reason.message })),
  leftCount: report.leftCount,
});

const totalOf = ({ kind, version, count }: VersionCount): VersionTotal => ({
  kind,
  version: version === undefined ? undefined : String(version),
  count,
});
