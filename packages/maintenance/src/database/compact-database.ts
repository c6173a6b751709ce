import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StorageError } from "@partita/core";
import { cancelled } from "@partita/core/internal";
import { toStorageError } from "@partita/core/internal/embedded";
import { openToCheck } from "./open-to-check.ts";
import { type CompactStep, vacuum, type VacuumResult } from "./vacuum-process.ts";

/** Options of {@link compactDatabase}. */
export interface CompactOptions {
  /** How long to wait for other programs that write, and then for those that read, in milliseconds; default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** Cancels the work: the promise is rejected with `storage.cancelled`, and the file isn't changed. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the beginning of each step. */
  readonly onProgress?: ((progress: CompactProgress) => void) | undefined;
}

/** The progress of {@link compactDatabase}. */
export interface CompactProgress {
  readonly step: CompactStep;
}

/** The result of {@link compactDatabase}. */
export interface CompactReport {
  /** The sizes of the file and its log, in bytes. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /**
   * Whether the file is smaller already. False if another program still reads old pages: then the file becomes smaller
   * once that program has finished its read and a program writes.
   */
  readonly isComplete: boolean;
}

/** Rewrites an open file; see {@link compactDatabase}. */
export async function compactDatabase(path: string, options: CompactOptions): Promise<CompactReport> {
  const { busyTimeoutMs = 30_000, signal, onProgress } = options;
  if (signal?.aborted === true) throw cancelled(signal);
  (await openToCheck(path, "query_only = 1")).database.close();
  const real = realpathSync(path);
  const bytesBefore = sizeOf(real);
  const onStep = (step: CompactStep): void => onProgress?.({ step });
  const work = vacuum(real, { folder: dirname(real), busyTimeoutMs, signal, onStep });
  const result = await work.catch((error: unknown) => {
    throw signal?.aborted === true ? cancelled(signal) : error;
  });
  const isComplete = isDone(result, path);
  return { bytesBefore, bytesAfter: sizeOf(real), isComplete };
}

/** @throws StorageError if the file was not rewritten */
function isDone(result: VacuumResult | undefined, path: string): boolean {
  const [outcome, ...details] = result ?? ["stopped"];
  if (outcome === "failed") {
    const [message, errcode] = details as [string, number | null];
    throw toStorageError(Object.assign(new Error(message), errcode !== null && { errcode }), path);
  }
  if (outcome === "busy") throw busy(path);
  if (outcome === "no-space") throw noSpace(path, details as unknown as [number, number]);
  if (outcome === "stopped") throw stopped(path);
  return outcome === "done";
}

const busy = (path: string): StorageError =>
  new StorageError(
    "storage.server-busy",
    `${path} is written by another program all the time, so it can't be compacted. Nothing was changed. Stop that program, or wait longer.`,
    { applied: "no", status: 503, serviceCode: "ServerBusy" },
  );

const noSpace = (path: string, [needed, free]: readonly [number, number]): StorageError =>
  new StorageError(
    "storage.full",
    `${path} needs ${inMiB(needed)} of free space in its folder to be compacted, and there are ${inMiB(free)}. Nothing was changed.`,
    { applied: "no", status: 507 },
  );

const stopped = (path: string): StorageError =>
  new StorageError(
    "storage.embedded",
    `${path}: the process that compacts the file was stopped. No row is lost. Compact the file again.`,
    { applied: "no" },
  );

const inMiB = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en")} MiB`;

const sizeOf = (path: string): number =>
  ["", "-wal"].reduce((sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0), 0);
