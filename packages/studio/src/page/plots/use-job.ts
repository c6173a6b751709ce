import type { Job, JobRequest } from "../../api/jobs.ts";
import { useStudio } from "../state/studio-context.ts";

/** The state of a job on the current table, with functions to start and stop it. */
export interface TableJob {
  readonly job: Job | undefined;
  readonly start: (more?: Pick<JobRequest, "isDryRun" | "copy">) => void;
  readonly stop: () => void;
}

/** The job of one type on the current table. */
export function useJob(type: Job["type"]): TableJob {
  const studio = useStudio();
  const table = studio.table.value ?? "";
  const job = studio.jobs.value.find((each) => each.type === type && each.table === table);
  return {
    job,
    start: (more) =>
      void studio.attempt(async () => {
        await studio.api.startJob({ type, table, ...more });
        await studio.readJobs();
      }),
    stop: () =>
      void studio.attempt(async () => {
        if (job !== undefined) await studio.api.stopJob(job.id);
        await studio.readJobs();
      }),
  };
}
