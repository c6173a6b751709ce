import { UsageError } from "../session/usage-error.ts";

/** The paths of all files below a folder: from one on, and before another. */
export interface Folder {
  /** Ends with /. */
  readonly from: string;
  readonly to: string;
}

/** A folder as it was given, with / at its end or without. @throws UsageError */
export function folderOf(path: string): Folder {
  if (!path.startsWith("/") || path.includes("//"))
    throw new UsageError('A folder begins with /, and has no two of them in a row: "/logs", or "/" for all.');
  const folder = path.endsWith("/") ? path.slice(0, -1) : path;
  // 0 comes next to /.
  return { from: `${folder}/`, to: `${folder}0` };
}

/** The path that a file gets: one that ends with / is the folder it is put into. */
export const pathInto = (path: string, name: string): string =>
  path.endsWith("/") ? `${path}${name}` : path;

/** What is behind the last /. */
export const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
