import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { loadSqlite } from "./load-sqlite.ts";
import { applicationId } from "./schema.ts";

/**
 * Whether a database or its log lacks pages that SQLite wrote, because another program truncated it. `unknown` while
 * another connection writes a checkpoint.
 *
 * @param database - a connection without a transaction
 */
export function findMissingPages(
  database: DatabaseSync,
  path: string,
  logPath: string | undefined,
): "none" | "some" | "unknown" {
  try {
    // Check the database first: a checkpoint writes pages of the log to it.
    if (!hasItsPages(path)) return "some";
    const frames = Number(database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"]);
    if (frames < 0) return "unknown";
    const written = frames > 0 ? logHeader + frames * (frameHeader + pragma(database, "page_size")) : 0;
    const size = logPath === undefined ? 0 : (statSync(logPath, { throwIfNoEntry: false })?.size ?? 0);
    return logPath !== undefined && size < written ? "some" : "none";
  } catch {
    // Truncated pages cannot be read.
    return "some";
  }
}

/**
 * Whether the file has the pages that its own first page counts. Pages that are only in the log don't count: this
 * connection ignores the log. SQLite refuses a file that is too short.
 */
function hasItsPages(path: string): boolean {
  const { DatabaseSync: Database } = loadSqlite();
  const url = pathToFileURL(path);
  url.search = "immutable=1";
  const database = new Database(url, { readOnly: true });
  try {
    return pragma(database, "application_id") === applicationId;
  } finally {
    database.close();
  }
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

/** The sizes of a log's header and of each frame's header, in bytes. Source: sqlite.org "WAL-mode File Format". */
const [logHeader, frameHeader] = [32, 24];
