import { join } from "node:path";

/** Names that Windows has for devices, whatever follows a dot. Source: learn.microsoft.com "Naming Files, Paths, and Namespaces". */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** Characters that Windows takes for drives, folders, streams of a file, or patterns. */
const windowsOnly = /[<>:"|?*\\\p{Cc}]/u;

/**
 * Where a stored path is in a local folder. Whatever the path is, that is below the folder, and a file of the same name.
 *
 * @param path - without the / in front
 * @returns undefined where no local file can have such a name
 */
export function localPathOf(
  folder: string,
  path: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const segments = path.split("/");
  return segments.every((segment) => isName(segment, platform)) ? join(folder, ...segments) : undefined;
}

function isName(segment: string, platform: NodeJS.Platform): boolean {
  // Rows may have been written by other programs than this one.
  if (segment === "" || segment === "." || segment === ".." || segment.includes("\0")) return false;
  if (!segment.isWellFormed()) return false;
  if (platform !== "win32") return true;
  return !windowsOnly.test(segment) && !/[. ]$/.test(segment) && !device.test(segment);
}
