import type { RowKey } from "./cells.ts";
import type { Existing, TransferSummary } from "./transfers.ts";

/** Work on a complete table. It continues while the page is closed. */
export interface Job {
  readonly id: string;
  readonly type: "census" | "survey" | "upgrade" | "import" | "copy";
  readonly table: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly progress: JobProgress;
  /** The message of a failed job. */
  readonly error: string | undefined;
  readonly census: readonly CensusCount[] | undefined;
  readonly survey: Survey | undefined;
  readonly upgrade: UpgradeSummary | undefined;
  /** The result of an import or a copy. */
  readonly transfer: TransferSummary | undefined;
}

/** The progress of a job. */
export interface JobProgress {
  readonly phase: string;
  /** The pass of an upgrade over the table, from 1. */
  readonly pass?: number | undefined;
  readonly read: number;
  /** Undefined until it is known. */
  readonly total: number | undefined;
  readonly upgraded: number;
  /** Rows that an import or a copy has written. */
  readonly written?: number | undefined;
  /** Bytes of a file that were read. */
  readonly bytes?: number | undefined;
}

/** Rows of one kind and version, and their shapes. */
export interface CensusCount extends VersionTotal {
  /** Combinations of properties and types, the most frequent first. */
  readonly shapes: readonly { readonly count: number; readonly properties: readonly string[] }[];
}

/** An upgrade of a table by any process, as recorded in the storage. */
export interface UpgradeElsewhere {
  readonly pass: number;
  readonly after: RowKey | undefined;
  readonly pagesAtWork: number;
  /** Changes whenever a worker makes progress. */
  readonly mark: string;
}

/** The result of an upgrade. */
export interface UpgradeSummary {
  readonly isDryRun: boolean;
  readonly upgraded: number;
  readonly isClean: boolean;
  readonly before: readonly VersionTotal[];
  readonly after: readonly VersionTotal[];
  readonly left: readonly (RowKey & { readonly reason: string })[];
  readonly leftCount: number;
}

/** Number of rows of one kind and version. */
export interface VersionTotal {
  readonly kind: string | undefined;
  readonly version: string | undefined;
  readonly count: number;
}

/** The distribution of a table's rows over partitions, and the times of their last writes. */
export interface Survey {
  readonly rows: number;
  readonly partitions: number;
  /** Ranges of neighbouring partitions, in key order. */
  readonly ranges: readonly PartitionRange[];
  /** The largest partitions, the largest first. */
  readonly largest: readonly PartitionSize[];
  /** The start of each column of the heat map, as ISO 8601. Each row was last written in one column. */
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
  /** Number of its rows last written in each column of the survey. */
  readonly written: readonly number[];
}

/** Starts a job. */
export interface JobRequest {
  readonly type: Job["type"];
  readonly table: string;
  /** For an upgrade: in memory only. */
  readonly isDryRun?: boolean | undefined;
  readonly copy?: CopyRequest | undefined;
}

/** The target of a copy. */
export interface CopyRequest {
  /** The storage to copy to, as `openStorage` takes it. Empty for the storage of the studio. */
  readonly target: string;
  /** The name of the copy. */
  readonly as: string;
  readonly existing: Existing;
}
