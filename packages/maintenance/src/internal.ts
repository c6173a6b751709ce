// Glue between Partita's own packages: jobs that several workers share, page by page. Any version may change it.

export { checkJobTable } from "./jobs/job-record.ts";
export { Pace } from "./jobs/pace.ts";
export { bucketOf, hashOf, RowSums } from "./jobs/row-sums.ts";
export { runTableJob, type TableWork } from "./jobs/run-table-job.ts";
export { jobRetry, TableJob } from "./jobs/table-job.ts";
