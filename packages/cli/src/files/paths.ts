import { UsageError } from "../session/usage-error.ts";

/** The paths of all files in a folder: an inclusive start and an exclusive end. */
export interface Folder {
  /** Ends with /. */
  readonly from: string;
  readonly to: string;
}

/** A folder as given, with or without / at its end. @throws UsageError */
export function folderOf(path: string): Folder {
  if (!path.startsWith("/") || path.includes("//"))
    throw new UsageError('A folder starts with / and has no empty names: "/logs", or "/" for all.');
  const folder = path.endsWith("/") ? path.slice(0, -1) : path;
  // The character 0 follows /.
  return { from: `${folder}/`, to: `${folder}0` };
}

/** The path of a new file: if the given path ends with /, the file goes into that folder. */
export const pathInto = (path: string, name: string): string =>
  path.endsWith("/") ? `${path}${name}` : path;

/** The text after the last /. */
export const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
