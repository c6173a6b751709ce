import { join } from "node:path";

/**
 * Device names of Windows, with any extension. Source: learn.microsoft.com "Naming Files, Paths, and
 * Namespaces".
 */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** Characters that Windows uses for drives, folders, streams of a file, or patterns. */
const windowsOnly = /[<>:"|?*\\\p{Cc}]/u;

/**
 * The local path of a stored path in a folder. The result is always inside the folder, and has the same file
 * name.
 *
 * @param path - without the leading /
 * @returns undefined if no local file can have such a name
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
  // Other programs may have written any path.
  if (segment === "" || segment === "." || segment === ".." || segment.includes("\0")) return false;
  if (!segment.isWellFormed()) return false;
  if (platform !== "win32") return true;
  return !windowsOnly.test(segment) && !/[. ]$/.test(segment) && !device.test(segment);
}
