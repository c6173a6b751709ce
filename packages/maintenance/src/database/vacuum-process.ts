import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/**
 * The steps of {@link compactDatabase}. It waits for programs that write, rewrites the file, and waits for programs that
 * still read the old pages.
 */
export type CompactStep = "waiting-for-writers" | "rewriting" | "waiting-for-readers";

/** What the process of SQLite says, one JSON array a line. */
export type VacuumResult =
  | readonly ["done"]
  | readonly ["still-read"]
  | readonly ["busy"]
  | readonly ["no-space", neededBytes: number, freeBytes: number]
  | readonly ["failed", message: string, errcode: number | null];

/** The lines of the process: its steps, and then its result. */
type Line = readonly [CompactStep] | VacuumResult;

/**
 * The program of the process. It needs only Node, so it also runs from a bundle. `VACUUM` writes all rows to a temporary
 * file and then, as one transaction, to the log. The checkpoint moves them to the file and makes both smaller.
 */
const program = `
const { DatabaseSync } = require("node:sqlite");
const { statfsSync, writeSync } = require("node:fs");
const [path, folder, timeout] = process.argv.slice(1);
const say = (...words) => writeSync(1, JSON.stringify(words) + "\\n");
const pause = new Int32Array(new SharedArrayBuffer(4));
// SQLite's own wait pauses for up to 100 ms, and would rarely meet the moment between two writes of a busy program.
const until = (attempt) => {
  const deadline = Date.now() + Number(timeout);
  while (!attempt()) {
    if (Date.now() >= deadline) return false;
    Atomics.wait(pause, 0, 0, 1 + 4 * Math.random());
  }
  return true;
};
const isFree = (work) => {
  try {
    work();
    return true;
  } catch (error) {
    if ((error.errcode & 0xff) === 5) return false;
    throw error;
  }
};
// Pages are often partly empty. Not every build of SQLite can say how much of them is used.
const usedBytes = (database) => {
  const first = (sql) => Object.values(database.prepare(sql).get())[0];
  const can = first("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'") > 0;
  if (can) return first("SELECT sum(pgsize - unused) FROM dbstat");
  return (first("PRAGMA page_count") - first("PRAGMA freelist_count")) * first("PRAGMA page_size");
};
const run = () => {
  say("waiting-for-writers");
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1");
  if (!until(() => isFree(() => database.exec("BEGIN IMMEDIATE; ROLLBACK")))) return say("busy");
  say("rewriting");
  const { bavail, bsize } = statfsSync(folder);
  const needed = Math.ceil(2.2 * usedBytes(database));
  if (bavail * bsize < needed) return say("no-space", needed, bavail * bsize);
  if (!until(() => isFree(() => database.exec("VACUUM")))) return say("busy");
  say("waiting-for-readers");
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  say(until(() => checkpoint.get().busy === 0) ? "done" : "still-read");
};
try {
  run();
} catch (error) {
  say("failed", error.message, error.errcode ?? null);
}`;

/** Options of {@link vacuum}. */
export interface VacuumOptions {
  /** The folder of the file. Temporary files of SQLite are written there too. */
  readonly folder: string;
  /** How long each step waits for other programs, in milliseconds. */
  readonly busyTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: CompactStep) => void;
}

/**
 * Rewrites a file with SQLite in a process of its own: SQLite can't cancel `VACUUM`, which blocks its thread, but killing
 * the process undoes it.
 *
 * @returns undefined if the process ended before it was done
 * @throws AbortError if it was cancelled
 */
export async function vacuum(
  path: string,
  { folder, busyTimeoutMs, signal, onStep }: VacuumOptions,
): Promise<VacuumResult | undefined> {
  const child = spawn(process.execPath, ["-e", program, path, folder, String(busyTimeoutMs)], {
    stdio: ["ignore", "pipe", "ignore"],
    // The temporary folder of the system is often memory.
    env: { ...process.env, ...plainNode, SQLITE_TMPDIR: folder, TMP: folder, TEMP: folder },
    signal,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "close");
  ended.catch(() => undefined);
  let result: VacuumResult | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    if (isStep(line)) onStep(line[0]);
    else result = line;
  }
  await ended;
  return result;
}

/** Without options of this process, and as Node even in Electron. */
const plainNode = { NODE_OPTIONS: "", ELECTRON_RUN_AS_NODE: "1" };

const isStep = (line: Line): line is readonly [CompactStep] =>
  line[0] === "waiting-for-writers" || line[0] === "rewriting" || line[0] === "waiting-for-readers";
