// Work on complete tables and files: indexes, upgrades in the background, markers, checks and repairs.

export { buildIndex, dropIndex, verifyIndex } from "./tables/index-jobs.ts";
export type { IndexJobOptions } from "./tables/build-index.ts";
export type { VerifyIndexOptions } from "./tables/verify-index.ts";
export type {
  DuplicateValue,
  IndexBuildReport,
  IndexDifference,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "./tables/index-report.ts";
export { repairDatabase } from "./stores/repair-database.ts";
export type {
  RepairedTable,
  RepairOptions,
  RepairProgress,
  RepairReport,
} from "./stores/embedded/verify/repair-database.ts";
export type { LostRow } from "./stores/embedded/verify/repair-rows.ts";
export { verifyDatabase } from "./stores/verify-database.ts";
export type { DatabaseCheck, DatabaseFinding } from "./stores/embedded/verify/findings.ts";
export type {
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from "./stores/embedded/verify/verify-database.ts";
export { upgradeTable, type UpgradeTableOptions } from "./tables/upgrade-table.ts";
export { findUpgrade, type UpgradeUnderWay } from "./tables/find-upgrade.ts";
export type { RowLeftBehind, UpgradeProgress, UpgradeReport } from "./tables/upgrade-report.ts";
export { sweepMarkers, type SweepOptions } from "./tables/sweep-markers.ts";
export {
  census,
  type CensusEntry,
  type CensusOptions,
  type ShapeCount,
  type VersionCount,
} from "./tables/census.ts";
