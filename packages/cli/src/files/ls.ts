import type { FileInfo } from "@partita/files";
import { formatBytes } from "../terminal/amounts.ts";
import { printable } from "../terminal/printable.ts";
import type { FilesOptions, FilesSession, Verb } from "./session.ts";

/** Number of files to measure concurrently. */
const together = 16;

/** A version, and its length if requested. */
interface Listed {
  readonly info: FileInfo;
  readonly size: number | undefined;
}

/** `ls`: prints a table in a terminal and with -l, otherwise one path per line. */
export const ls: Verb = async (session, [prefix = "/"], options) => {
  const { out, say } = session;
  const { long = false, versions = false, json = false } = options;
  const isTable = !json && (long || versions || out.isTerminal);
  let count = 0;
  for await (const listed of sized(session, listedInfos(session, prefix, versions), long)) {
    if (count++ === 0 && isTable && out.isTerminal) await out.line(headOf(options));
    await out.line(lineOf(listed, options, isTable));
  }
  if (count === 0) say("There are no such files.");
  return 0;
};

async function* listedInfos(
  { files, signal }: FilesSession,
  prefix: string,
  hasVersions: boolean,
): AsyncGenerator<FileInfo> {
  // This includes paths that no longer exist.
  if (hasVersions && !prefix.endsWith("/")) yield* await files.versions(prefix, { signal });
  for await (const info of files.list({ from: prefix, signal })) {
    if (!info.path.startsWith(prefix)) return;
    if (!hasVersions) yield info;
    else if (info.path !== prefix) yield* await files.versions(info.path, { signal });
  }
}

/** Each size takes two requests. Several are sent concurrently. */
async function* sized(
  session: FilesSession,
  infos: AsyncIterable<FileInfo>,
  hasSizes: boolean,
): AsyncGenerator<Listed> {
  let some: Promise<Listed>[] = [];
  for await (const info of infos) {
    if (!hasSizes) yield { info, size: undefined };
    else if (some.push(sizeOf(session, info)) === together) {
      yield* await Promise.all(some);
      some = [];
    }
  }
  yield* await Promise.all(some);
}

async function sizeOf({ files, signal }: FilesSession, info: FileInfo): Promise<Listed> {
  if (info.state === "writing") return { info, size: undefined };
  const { path, version } = info;
  const file = await files.open(path, { version, signal });
  return { info, size: await file?.size({ signal }) };
}

/** One column: its name, its width, and its contents. */
interface Column {
  readonly name: string;
  readonly width: number;
  readonly of: (listed: Listed) => string;
}

const columns: Readonly<Record<"size" | "version" | "state" | "time" | "type", Column>> = {
  size: {
    name: "Size",
    width: -10,
    of: ({ size }) => (size === undefined ? "-" : formatBytes(size)),
  },
  version: { name: "Version", width: -7, of: ({ info }) => String(info.version) },
  state: { name: "State", width: 9, of: ({ info }) => info.state },
  time: {
    name: "Written (UTC)",
    width: 19,
    of: ({ info }) => info.versionCreatedAt.toISOString().slice(0, 19).replace("T", " "),
  },
  type: { name: "Type", width: 24, of: ({ info }) => printable(info.contentType ?? "-") },
};

function columnsOf({ long = false, versions = false }: FilesOptions): readonly Column[] {
  const { size, version, state, time, type } = columns;
  return [...(long ? [size] : []), version, ...(versions ? [state] : []), time, ...(long ? [type] : [])];
}

const headOf = (options: FilesOptions): string =>
  [...columnsOf(options).map(({ name, width }) => padded(name, width)), "Path"].join("  ");

function lineOf(listed: Listed, options: FilesOptions, isTable: boolean): string {
  if (options.json === true) return JSON.stringify({ ...listed.info, size: listed.size });
  const path = printable(listed.info.path);
  if (!isTable) return path;
  return [...columnsOf(options).map(({ width, of }) => padded(of(listed), width)), path].join("  ");
}

/** Right-aligned if the width is negative. */
const padded = (text: string, width: number): string =>
  width < 0 ? text.padStart(-width) : text.padEnd(width);
