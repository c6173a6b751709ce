// What `load-reading.ts` imports late. Nothing else that is loaded with the package may import these as values.
export { QueryRun } from "./query-run.ts";
export { runPlan } from "./run-plan.ts";
