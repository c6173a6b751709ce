// Glue between Partita's own packages: jobs over complete tables. Any version may change it.

export { checkJobTable } from "./tables/job-record.ts";
export { Pace } from "./tables/pace.ts";
export { bucketOf, hashOf, RowSums } from "./tables/row-sums.ts";
export { jobRetry, TableJob } from "./tables/table-job.ts";
