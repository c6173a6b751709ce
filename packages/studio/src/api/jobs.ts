import type { RowKey } from "./cells.ts";

/** Work on a whole table that goes on while the page is closed. */
export interface Job {
  readonly id: string;
  readonly type: "census" | "survey" | "upgrade";
  readonly table: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly progress: JobProgress;
  /** In words; for a job that failed. */
  readonly error: string | undefined;
  readonly census: readonly CensusCount[] | undefined;
  readonly survey: Survey | undefined;
  readonly upgrade: UpgradeSummary | undefined;
}

/** How far a job is. */
export interface JobProgress {
  readonly phase: string;
  readonly read: number;
  /** Undefined until it is known. */
  readonly total: number | undefined;
  readonly upgraded: number;
}

/** Rows of one kind and version, and their shapes. */
export interface CensusCount extends VersionTotal {
  /** Which properties of which types such rows have, the most frequent first. */
  readonly shapes: readonly { readonly count: number; readonly properties: readonly string[] }[];
}

/** An upgrade of a table as it is recorded in the storage, by whatever process. */
export interface UpgradeElsewhere {
  readonly pass: number;
  readonly after: RowKey | undefined;
  readonly pagesAtWork: number;
  /** Another one whenever a worker has done something. */
  readonly mark: string;
}

/** What an upgrade did. */
export interface UpgradeSummary {
  readonly isDryRun: boolean;
  readonly upgraded: number;
  readonly isClean: boolean;
  readonly before: readonly VersionTotal[];
  readonly after: readonly VersionTotal[];
  readonly left: readonly (RowKey & { readonly reason: string })[];
  readonly leftCount: number;
}

/** Rows of one kind and version. */
export interface VersionTotal {
  readonly kind: string | undefined;
  readonly version: string | undefined;
  readonly count: number;
}

/** How the rows of a table lie over its partitions, and when they were written. */
export interface Survey {
  readonly rows: number;
  readonly partitions: number;
  /** Ranges of neighbouring partitions, in key order. */
  readonly ranges: readonly PartitionRange[];
  /** The largest partitions, the largest first. */
  readonly largest: readonly PartitionSize[];
  /** The first moment of each column of the heat map, as ISO 8601; rows were last written in one of them. */
  readonly moments: readonly string[];
}

/** Neighbouring partitions. */
export interface PartitionRange {
  readonly from: string;
  readonly to: string;
  readonly partitions: number;
  readonly rows: number;
}

/** One partition. */
interface PartitionSize {
  readonly partitionKey: string;
  readonly rows: number;
  /** How many of its rows were last written at each moment of the survey. */
  readonly written: readonly number[];
}

/** Starts a job. */
export interface JobRequest {
  readonly type: Job["type"];
  readonly table: string;
  /** For an upgrade: in memory only. */
  readonly isDryRun?: boolean | undefined;
}
