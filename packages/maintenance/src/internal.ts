// Glue between Partita's own packages: jobs that several workers share, page by page, and the sizes of partitions. Any
// version may change it.

export { checkJobTable } from "./jobs/job-record.ts";
export { Pace } from "./jobs/pace.ts";
export { bucketOf, hashOf, RowSums } from "./jobs/row-sums.ts";
export { jobRetry, runTableJob, TableJob, type TableJobOptions } from "./jobs/table-job.ts";
export type { Survey } from "./survey/survey.ts";
export { surveyPartitions } from "./survey/survey-partitions.ts";
