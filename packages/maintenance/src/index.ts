// Maintenance of complete tables and files: indexes, upgrades in the background, markers, checks and repairs.

export { buildIndex, dropIndex, verifyIndex } from "./indexes/index-jobs.ts";
export type { IndexJobOptions } from "./indexes/build-index.ts";
export type { VerifyIndexOptions } from "./indexes/verify-index.ts";
export type {
  DuplicateValue,
  IndexBuildReport,
  IndexDifference,
  IndexDropReport,
  IndexProgress,
  IndexVerification,
} from "./indexes/index-report.ts";
export { compactDatabase } from "./compact-database.ts";
export type { CompactOptions, CompactProgress, CompactReport } from "./database/compact-database.ts";
export type { CompactStep } from "./database/vacuum-process.ts";
export { repairDatabase } from "./repair-database.ts";
export type {
  RepairedTable,
  RepairOptions,
  RepairProgress,
  RepairReport,
} from "./database/repair-database.ts";
export type { LostRow } from "./database/repair-rows.ts";
export { verifyDatabase } from "./verify-database.ts";
export type { DatabaseCheck, DatabaseFinding } from "./database/findings.ts";
export type { VerifyOptions, VerifyProgress, VerifyReport } from "./database/verify-database.ts";
export { moveRows, type MoveRowsOptions } from "./moves/move-rows.ts";
export type { MoveProgress, MoveReport } from "./moves/move-report.ts";
export { upgradeTable, type UpgradeTableOptions } from "./upgrades/upgrade-table.ts";
export { findUpgrade, type UpgradeUnderWay } from "./upgrades/find-upgrade.ts";
export type { RowLeftBehind, UpgradeProgress, UpgradeReport } from "./upgrades/upgrade-report.ts";
export { sweepMarkers, type SweepOptions } from "./sweep-markers.ts";
export {
  census,
  type CensusEntry,
  type CensusOptions,
  type ShapeCount,
  type VersionCount,
} from "./upgrades/census.ts";
