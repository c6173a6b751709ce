// Whatever reads queries, as it is loaded: once, and not by those who only import the package.
export { QueryRun } from "./query-run.ts";
export { removeFamily } from "./remove-family.ts";
